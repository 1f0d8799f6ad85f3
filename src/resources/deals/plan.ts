/** Plans a new deal, or the change of one, without knowing the database. */
import type { Faults } from '../../errors/errors.ts';
import type { OwnKind } from '../events/entry.ts';
import { withDefaults } from '../kernel/resource.ts';
import type { CurrentDeal, StagePlace } from './current.ts';
import { landing, type Orders, type Place } from './positions/place.ts';
import { type DealFields, type DealValues, deals, type Status } from './record.ts';
import { applyRules, type DealReferences } from './rules.ts';

/**
 * @param contactId undefined for a contact that is yet to be created, whose id the caller adds
 * @param references undefined where the statement that inserts the deal looks for them
 * @param faults receives what is wrong with the deal; the values mean nothing then
 */
export function planNewDeal(
  fields: DealFields,
  contactId: number | undefined,
  references: DealReferences | undefined,
  now: Date,
  faults: Faults,
): DealValues {
  const { stage_id = 0 } = fields;
  const outcome = applyRules(undefined, fields, references, now, faults);
  const pipeline = references && { pipeline_id: references.pipelineId };
  return withDefaults(deals, fields, {
    ...outcome,
    stage_id,
    contact_id: contactId ?? 0,
    ...pipeline,
  });
}

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
 * @param fields fields that could be read
 * @param faults receives what is wrong with stage, pipeline or contact; the plan is void then
 * @param orders of the stages that the deal leaves and enters, once they are locked
 */
export function planDealChange(
  before: CurrentDeal,
  fields: DealFields,
  now: Date,
  faults: Faults,
  orders?: Orders,
): Plan {
  const target = fields.stage_id === undefined ? before : before.target;
  const references = {
    pipelineId: target?.pipeline_id ?? null,
    hasContact: fields.contact_id === undefined || before.contact_exists,
  };
  const outcome = applyRules(before, fields, references, now, faults);
  const stage = target ?? before;
  const { stage_id, pipeline_id } = stage;
  const contact_id = fields.contact_id ?? before.contact_id;
  const moves =
    contact_id !== before.contact_id ||
    stage_id !== before.stage_id ||
    (fields.position !== undefined && fields.position !== before.position);
  const place = orders ? landing(before, stage_id, fields.position, orders) : before;
  const after = {
    name: fields.name ?? before.name,
    ...outcome,
    contact_id,
    stage_id,
    pipeline_id,
    position: place.position,
    custom_attributes: fields.custom_attributes ?? before.custom_attributes,
  };
  return { moves, after, event: eventOf(before, after, stage) };
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
