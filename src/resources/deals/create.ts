import { authorize } from '../../auth/policy.ts';
import { faultsOf, type UnitOfWork } from '../../context/context.ts';
import { conflict, DatabaseError, isBroken } from '../../db/errors.ts';
import type { Selection } from '../../db/sql/shape.ts';
import { empty, raw, type Sql, sql } from '../../db/sql/sql.ts';
import { retryConflicts } from '../../db/transactions/retry.ts';
import { type Faults, unauthenticated } from '../../errors/errors.ts';
import type { Values } from '../audit/changes.ts';
import { type Author, auditEntries, creationOf } from '../audit/entry.ts';
import { deal_assignees } from '../deal_assignees/record.ts';
import { eventEntry } from '../events/entry.ts';
import { events } from '../events/record.ts';
import { readFields } from '../kernel/fields/input.ts';
import { writeRecord } from '../kernel/read/record.ts';
import type { RecordResult } from '../kernel/read/record_result.ts';
import { formOf } from '../kernel/write/form.ts';
import { insertion } from '../kernel/write/insert.ts';
import { fixMoment } from '../kernel/write/moment.ts';
import { inTransaction } from '../kernel/write/transaction.ts';
import type { Create } from '../kernel/write/write.ts';
import { planNewDeal } from './plan.ts';
import { lockStages, type Rearrangement, rearranged } from './positions/place.ts';
import { type DealFields, deals } from './record.ts';
import { reportReferences } from './references.ts';
import { closesNow } from './rules.ts';

/**
 * Creates a deal in a stage and assigns it to the viewer, who is its creator.
 * @throws {Fault} VALIDATION_FAILED for an invalid field, a stage or contact that does not exist,
 *   a pipeline that is not the stage's
 */
export const createDeal: Create = async (ctx, account, input, selection) => {
  authorize(ctx.viewer, account, 'deal.create');
  const faults = faultsOf(ctx);
  const fields = readFields(input, deals.fields, faults);
  const insert = (tx: UnitOfWork) => insertDeal(tx, fields, fields.contact_id, faults, selection);
  const also = isBroken('foreign_key');
  const isOneStatement = !fields.position && !closesNow(fields);
  return isOneStatement
    ? retryConflicts(() => insert(ctx), also)
    : inTransaction(ctx, insert, also);
};

/**
 * Inserts a deal with its assignee, event and audit entry. A position needs a transaction, and so does a
 * deal that is closed as it is created.
 * @param contactId null when the contact itself has faults, which are in `faults` already
 * @param faults found so far
 * @throws {Fault} VALIDATION_FAILED with these and those of the deal
 */
export async function insertDeal(
  ctx: UnitOfWork,
  fields: DealFields,
  contactId: number | null | undefined,
  faults: Faults,
  selection: Selection,
): Promise<RecordResult> {
  const plan = (now: Date) => planNewDeal(fields, contactId ?? undefined, undefined, now, faults);
  let deal = plan(ctx.now);
  if (!faults.any && fields.stage_id !== undefined && contactId) {
    const place = fields.position ? await openAt(ctx, fields.stage_id, fields.position) : undefined;
    if (closesNow(fields)) deal = plan((await fixMoment(ctx)).now);
    const steps = place ? insertSteps(ctx, deal, place) : atTheEnd(ctx, deal);
    const write = writeRecord(ctx, 'deals', selection, steps, 'column');
    const record = await write.catch(refuseRemoved);
    if (record) return record;
  }
  await reportReferences(ctx, fields, contactId, faults);
  faults.throwIfAny();
  // What it refers to was created between the two statements.
  throw conflict();
}

/** A user removed a moment ago may still pass as authenticated, but cannot own a deal any more. */
function refuseRemoved(error: unknown): never {
  const creator = 'deals_account_id_created_by_id_fkey';
  if (error instanceof DatabaseError && error.constraint === creator) throw unauthenticated();
  throw error;
}

/** A place before the stage's end, and the steps that make room for the deal. */
interface InsertionPlace extends Rearrangement {
  readonly position: number;
}

async function openAt(
  ctx: UnitOfWork,
  stageId: number,
  position: number,
): Promise<InsertionPlace | undefined> {
  const orders = await lockStages(ctx, [stageId]);
  if (position > (orders.get(stageId)?.count ?? 0)) return undefined;
  const place = { stage_id: stageId, position };
  return { position, ...(await rearranged(ctx, orders, [], place)) };
}

const insert = insertion(
  deals,
  {
    pipeline_id: 'place.pipeline_id',
    stage_id: 'place.stage_id',
    created_by_id: 'place.created_by_id',
    rank: 'floor(place.rank)::integer',
    rank_fraction: 'place.rank - floor(place.rank)',
  },
  'place',
);

export const entries = [
  creationOf(deals, 'written'),
  creationOf(deal_assignees, 'assignee'),
  creationOf(events, 'event'),
];

/** @param place where to put the deal; the end of the stage unless given */
function insertSteps(author: Author, deal: Values, place?: InsertionPlace): Sql {
  return sql`${placeSteps(author, deal, place)}, written AS (
      ${insert(author, deal)}, (SELECT position FROM place) AS position
    ), ${comingAlong(author, sql`${deal.name}::text`)}, audit AS (${auditEntries(author, ...(place?.entries ?? []), ...entries)})`;
}

const atTheEnd = formOf('deals create', deals.written, (author, deal) => insertSteps(author, deal));

/**
 * WITH queries for what comes with deals: the assignee and the event of each that is `written`.
 * @param name SQL of a deal's name
 * @param which of the rows of `place` is the deal's; the only one unless given
 */
export const comingAlong = ({ viewer }: Author, name: Sql, which: Sql = empty): Sql =>
  sql`assignee AS (
      INSERT INTO deal_assignees (account_id, deal_id, user_id, created_at, updated_at)
      SELECT ${viewer.accountId}::bigint, id, created_by_id, created_at, updated_at FROM written RETURNING *
    ), event AS (${eventEntry(
      viewer,
      'deal_opened',
      'written',
      sql`(SELECT json_build_object('stage_id', stage_id, 'stage_name', stage_name,
        'pipeline_id', pipeline_id, 'pipeline_name', pipeline_name, 'deal_name', ${name}) FROM place${which})`,
    )})`;

/** WITH queries that give the deal a place, in one named `place`, and count it in its stage. */
function placeSteps({ viewer }: Author, deal: Values, place: InsertionPlace | undefined): Sql {
  const { accountId, userId } = viewer;
  const condition = sql`s.account_id = ${accountId} AND s.id = ${deal.stage_id}
    AND p.account_id = ${accountId} AND p.id = s.pipeline_id
    AND p.id = coalesce(${deal.pipeline_id}::bigint, p.id)
    AND EXISTS (SELECT FROM contacts AS c WHERE c.account_id = ${accountId} AND c.id = ${deal.contact_id})`;
  const names = raw(
    's.id AS stage_id, s.name AS stage_name, p.id AS pipeline_id, p.name AS pipeline_name',
  );
  if (!place) {
    return sql`place AS (
      UPDATE stages AS s SET deals_count = s.deals_count + 1 FROM pipelines AS p WHERE ${condition}
      RETURNING ${names}, ${userId}::bigint AS created_by_id, s.deals_count AS position, s.deals_count + s.ranks_ahead AS rank
    )`;
  }
  return sql`${place.steps}, place AS (
    SELECT ${names}, ${userId}::bigint AS created_by_id, ${place.position}::integer AS position, ${place.rank}::double precision AS rank
    FROM stages AS s, pipelines AS p WHERE ${condition}
  )`;
}
