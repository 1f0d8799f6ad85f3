import { authorize } from '../../auth/policy.ts';
import type { Context } from '../../context.ts';
import { conflict, DatabaseError, isBroken, retrying } from '../../db/errors.ts';
import type { Selection } from '../../db/shape.ts';
import { empty, type Sql, sql } from '../../db/sql.ts';
import { Faults, unauthenticated } from '../../errors.ts';
import { auditEntry } from '../audit/entry.ts';
import { eventEntry } from '../events/entry.ts';
import { type Input, readFields } from '../fields.ts';
import { lockStages, openPlace } from '../pipelines/place.ts';
import { type Stored, type Working, writeRecord } from '../record.ts';
import { type DealSent, dealFields } from './fields.ts';
import { nextOutcome } from './outcome.ts';
import { checkReferences } from './references.ts';

/**
 * Creates a deal at a stage, for the viewer, who is also assigned to it.
 * @throws {Fault} VALIDATION_FAILED for an invalid field, a stage or contact that does not exist,
 *   a pipeline that is not the stage's
 */
export async function createDeal(
  ctx: Context,
  account: unknown,
  input: Input,
  selection: Selection,
): Promise<Stored> {
  authorize(ctx.viewer, account, 'deal.create');
  const faults = new Faults();
  const sent = readFields(input, dealFields, faults);
  return retrying(
    () =>
      sent.position
        ? ctx.db.transaction((db) =>
            insertDeal({ ...ctx, db }, sent, sent.contact_id, faults, selection),
          )
        : insertDeal(ctx, sent, sent.contact_id, faults, selection),
    isBroken('foreign_key'),
  );
}

/**
 * Inserts a deal, its assignee, event and audit entry. In a transaction when a position is asked
 * for.
 * @param contactId null when the contact has faults of its own, which are among `faults`
 * @throws {Fault} VALIDATION_FAILED with the faults found before and its own
 */
export async function insertDeal(
  ctx: Working,
  sent: DealSent,
  contactId: number | null | undefined,
  faults: Faults,
  selection: Selection,
): Promise<Stored> {
  const { stage_id: stageId } = sent;
  if (!faults.any && stageId !== undefined && contactId) {
    const place = sent.position ? await openAt(ctx, stageId, sent.position) : undefined;
    const steps = insertion(ctx, sent, stageId, contactId, place);
    const written = await writeRecord(ctx, 'deals', selection, steps).catch(refuseRemoved);
    if (written) return written;
  }
  await checkReferences(ctx, sent, contactId, faults);
  faults.throwIfAny();
  // What it refers to came between the two statements.
  throw conflict();
}

/** A user who was removed a moment ago may still be taken for one; a deal would refer to nobody. */
function refuseRemoved(error: unknown): never {
  const creator = 'deals_account_id_created_by_id_fkey';
  if (error instanceof DatabaseError && error.constraint === creator) throw unauthenticated();
  throw error;
}

/** A place before the stage's end, and the WITH query that opens it. */
interface Opened {
  readonly position: number;
  readonly way: Sql;
}

async function openAt(ctx: Working, stageId: number, wanted: number): Promise<Opened | undefined> {
  const count = (await lockStages(ctx, [stageId])).get(stageId) ?? 0;
  if (wanted > count) return undefined;
  return { position: wanted, way: sql`${openPlace(ctx, stageId, wanted)},` };
}

/** @param place where the deal is to stand; the end of the stage when not given */
function insertion(
  ctx: Working,
  sent: DealSent,
  stageId: number,
  contactId: number,
  place: Opened | undefined,
): Sql {
  const { accountId, userId } = ctx.viewer;
  const now = ctx.now.toISOString();
  const outcome = nextOutcome(undefined, sent, ctx.now);
  const name = sent.name ?? '';
  const attributes = sent.custom_attributes ?? '{}';
  const after = {
    name,
    stage_id: stageId,
    contact_id: contactId,
    ...outcome,
    custom_attributes: attributes,
  };
  return sql`place AS (
      UPDATE stages AS s SET deals_count = s.deals_count + 1
      FROM pipelines AS p
      WHERE s.account_id = ${accountId} AND s.id = ${stageId}
        AND p.account_id = s.account_id AND p.id = s.pipeline_id
        AND p.id = coalesce(${sent.pipeline_id ?? null}::bigint, p.id)
        AND EXISTS (SELECT FROM contacts AS c WHERE c.account_id = ${accountId} AND c.id = ${contactId})
      RETURNING s.id AS stage_id, s.name AS stage_name, s.deals_count AS last, p.id AS pipeline_id, p.name AS pipeline_name
    ), ${place?.way ?? empty} written AS (
      INSERT INTO deals (account_id, contact_id, pipeline_id, stage_id, created_by_id, name, status, position,
        lost_reason, lost_at, won_at, custom_attributes, created_at, updated_at)
      SELECT ${accountId}::bigint, ${contactId}::bigint, place.pipeline_id, place.stage_id, ${userId}::bigint, ${name},
        ${outcome.status}, coalesce(${place?.position ?? null}::int, place.last), ${outcome.lost_reason},
        ${outcome.lost_at}::timestamptz, ${outcome.won_at}::timestamptz, ${attributes}::json,
        ${now}::timestamptz, ${now}::timestamptz
      FROM place RETURNING *
    ), assignee AS (
      INSERT INTO deal_assignees (account_id, deal_id, user_id, created_at, updated_at)
      SELECT account_id, id, created_by_id, created_at, updated_at FROM written
    ), event AS (${eventEntry(
      ctx,
      'deal_opened',
      'written',
      sql`(SELECT json_build_object('stage_id', stage_id, 'stage_name', stage_name,
        'pipeline_id', pipeline_id, 'pipeline_name', pipeline_name, 'deal_name', ${name}::text) FROM place)`,
    )}), audit AS (${auditEntry(ctx, 'deal.create', 'written', { before: null, after })})`;
}
