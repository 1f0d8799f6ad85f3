import { sql } from '../../db/sql.ts';
import { eventEntry, type OwnKind } from '../events/entry.ts';
import type { Working } from '../kernel/record.ts';
import type { CurrentDeal, StagePlace } from './current.ts';
import type { Status } from './record.ts';

const kinds: Readonly<Record<Status, OwnKind>> = {
  won: 'deal_won',
  lost: 'deal_lost',
  open: 'deal_reopened',
};

/**
 * The event of a change: of its status before that of its stage, and none for anything else.
 * @returns the WITH query that writes it, for the deal in `written`
 */
export function changeEvent(
  ctx: Working,
  before: CurrentDeal,
  after: { readonly name: string; readonly status: Status },
  stage: StagePlace,
) {
  const { stage_id, stage_name, pipeline_id, pipeline_name } = stage;
  if (after.status !== before.status) {
    return entry(ctx, kinds[after.status], {
      stage_id,
      stage_name,
      pipeline_id,
      pipeline_name,
      deal_name: after.name,
    });
  }
  if (stage_id === before.stage_id) return undefined;
  return entry(ctx, 'deal_stage_change', {
    old_stage_id: before.stage_id,
    old_stage_name: before.stage_name,
    old_stage_pipeline_id: before.pipeline_id,
    old_stage_pipeline_name: before.pipeline_name,
    new_stage_id: stage_id,
    new_stage_name: stage_name,
    new_stage_pipeline_id: pipeline_id,
    new_stage_pipeline_name: pipeline_name,
    deal_name: after.name,
  });
}

const entry = (ctx: Working, kind: OwnKind, attributes: Readonly<Record<string, unknown>>) =>
  sql`, event AS (${eventEntry(ctx, kind, 'written', sql`${JSON.stringify(attributes)}::json`)})`;
