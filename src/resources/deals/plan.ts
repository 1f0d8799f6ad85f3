/** Plans the change of a deal, without knowing the database. */
import { mustExist } from '../../errors/codes.ts';
import type { Faults } from '../../errors/errors.ts';
import type { OwnKind } from '../events/entry.ts';
import type { CurrentDeal, StagePlace } from './current.ts';
import { nextOutcome } from './outcome.ts';
import { landing, type Orders, type Place } from './positions/place.ts';
import type { DealSent, DealValues, Status } from './record.ts';
import { pipelineMismatch } from './references.ts';

export interface Plan {
  /**
   * Whether the deal may get another place, and others with it (`orders` decide which), or another
   * contact, and its events with it.
   */
  readonly moves: boolean;
  readonly after: DealValues & Place;
  /** What the deal's timeline will show. */
  readonly event: { readonly kind: OwnKind; readonly attributes: object } | undefined;
}

/**
 * @param before the deal before the change
 * @param sent fields that could be read
 * @param faults receives what is wrong with stage, pipeline or contact; the plan is void then
 * @param orders of the stages that the deal leaves and enters, once they are locked
 */
export function planDealChange(
  before: CurrentDeal,
  sent: DealSent,
  now: Date,
  faults: Faults,
  orders?: Orders,
): Plan {
  const stage = targetStage(before, sent, faults);
  const { stage_id, pipeline_id } = stage;
  const contact_id = sent.contact_id ?? before.contact_id;
  const moves =
    contact_id !== before.contact_id ||
    stage_id !== before.stage_id ||
    (sent.position !== undefined && sent.position !== before.position);
  const place = orders ? landing(before, stage_id, sent.position, orders) : before;
  const after = {
    name: sent.name ?? before.name,
    ...nextOutcome(before, sent, now),
    contact_id,
    stage_id,
    pipeline_id,
    position: place.position,
    custom_attributes: sent.custom_attributes ?? before.custom_attributes,
  };
  return { moves, after, event: eventOf(before, after, stage) };
}

function targetStage(deal: CurrentDeal, sent: DealSent, faults: Faults): StagePlace {
  if (sent.contact_id !== undefined && !deal.contact_exists) faults.add('contact_id', mustExist);
  const target = sent.stage_id === undefined ? deal : deal.target;
  if (!target) {
    faults.add('stage_id', mustExist);
  } else if (sent.pipeline_id && sent.pipeline_id !== target.pipeline_id) {
    faults.add('pipeline_id', pipelineMismatch);
  }
  return target ?? deal;
}

const kinds: Readonly<Record<Status, OwnKind>> = {
  won: 'deal_won',
  lost: 'deal_lost',
  open: 'deal_reopened',
};

/** The event of a change: a new status takes precedence over a new stage; nothing else has one. */
function eventOf(
  before: CurrentDeal,
  after: { readonly name: string; readonly status: Status },
  { stage_id, stage_name, pipeline_id, pipeline_name }: StagePlace,
): Plan['event'] {
  const deal_name = after.name;
  if (after.status !== before.status) {
    const attributes = { stage_id, stage_name, pipeline_id, pipeline_name, deal_name };
    return { kind: kinds[after.status], attributes };
  }
  if (stage_id === before.stage_id) return undefined;
  const attributes = {
    old_stage_id: before.stage_id,
    old_stage_name: before.stage_name,
    old_stage_pipeline_id: before.pipeline_id,
    old_stage_pipeline_name: before.pipeline_name,
    new_stage_id: stage_id,
    new_stage_name: stage_name,
    new_stage_pipeline_id: pipeline_id,
    new_stage_pipeline_name: pipeline_name,
    deal_name,
  };
  return { kind: 'deal_stage_change', attributes };
}
