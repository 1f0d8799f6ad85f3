/** Bringing back a record that was removed, with all that went with it. */
import { authorize, readId } from '../../auth/policy.ts';
import { faultsOf, type UnitOfWork } from '../../context/context.ts';
import { adhoc } from '../../db/database.ts';
import { conflict, isBroken } from '../../db/errors.ts';
import { name, sql } from '../../db/sql/sql.ts';
import { alreadyTaken, mustExist, type Problem } from '../../errors/codes.ts';
import { Fault, invalid, notFound } from '../../errors/errors.ts';
import { Portions } from '../../lib/portions.ts';
import { totalTooLarge } from '../deal_products/record.ts';
import { keepErasuresOut } from '../erasures/lock.ts';
import type { ById } from '../kernel/read/read.ts';
import { getRecord } from '../kernel/read/record.ts';
import { inTransaction } from '../kernel/write/transaction.ts';
import type { Contents } from './contents.ts';
import { withErased } from './erasures.ts';
import { type Kind, tableOf } from './kinds.ts';
import { type Plan, planReversal } from './plan.ts';
import { readContents } from './read_contents.ts';
import { type Removal, readRemoval } from './removal.ts';
import type { Conflict, Reason, RecordReversal } from './runs.ts';
import { write } from './write.ts';

/** Kinds of records that are brought back one by one. */
export const restorable = ['contact', 'deal', 'product', 'deal_product', 'event'] as const;
type Restorable = (typeof restorable)[number];

/**
 * Brings back a removed record with its id, times and all that went with it, as the trail has them; deals
 * between the neighbours that they had. It writes entries as a creation does, and no events. Either all of it
 * comes back or nothing does.
 * @throws {Fault} VALIDATION_FAILED for a record that is there, and for what stands in the way, by field;
 *   NOT_FOUND where the trail does not know the record, or not its removal; GONE once it was erased
 */
export const restoring =
  (kind: Restorable): ById =>
  async (ctx, account, id, selection) => {
    authorize(ctx.viewer, account, `${kind}.restore`);
    const recordId = readId(id);
    faultsOf(ctx).throwIfAny();
    return inTransaction(ctx, async (tx) => {
      await keepErasuresOut(tx.db, tx.viewer.accountId);
      await bringBack(tx, await removalOf(tx, kind, recordId));
      return getRecord(tx, tableOf[kind], recordId, selection);
    });
  };

/** The removal of a record that can be taken back. */
async function removalOf(ctx: UnitOfWork, kind: Kind, id: number): Promise<Removal> {
  const { accountId } = ctx.viewer;
  const [row] = await ctx.db.query<Removal & { is_there: boolean; is_removal: boolean }>(
    sql`SELECT EXISTS (SELECT FROM ${name(tableOf[kind])} WHERE account_id = ${accountId} AND id = ${id}) AS is_there,
        ${kind} AS kind, ${id}::bigint AS id, entry, request_id, written_at, action LIKE '%.delete' AS is_removal,
        (erased_at IS NOT NULL OR action LIKE '%.erase') AS is_erased
      FROM (SELECT) AS always LEFT JOIN (
        SELECT id AS entry, action, erased_at, request_id, created_at AS written_at FROM audit_entries
        WHERE account_id = ${accountId} AND record_type = ${kind} AND record_id = ${id}
          AND split_part(action, '.', 2) IN ('create', 'update', 'delete', 'erase')
        ORDER BY change_order DESC, audit_entries.id DESC LIMIT 1
      ) AS last ON true`,
    adhoc,
  );
  if (row?.is_there) throw notDeleted();
  if (row?.is_erased) throw erased();
  if (!row?.is_removal) throw notFound();
  return row;
}

const notDeleted = () => invalid('id', 'is not deleted');
const erased = () => new Fault('GONE', ['The record was erased, and cannot be restored']);

async function bringBack(ctx: UnitOfWork, removal: Removal): Promise<void> {
  const portions = new Portions(ctx.viewer.accountId);
  const reversals = await withErased(ctx, await readRemoval(ctx, removal, portions));
  const root = reversals.find(({ kind, id }) => kind === removal.kind && id === removal.id);
  if (!root) throw notFound();
  if (root.removed?.isErased) throw erased();
  // What went with it and was erased since stays away.
  const present = reversals.filter(({ removed }) => !removed?.isErased);
  const contents = await readContents(ctx, present, portions);
  const plan = await planReversal(present, contents, portions);
  refuseConflicts(plan, root, contents);
  // Somebody else has brought it back since its removal was read.
  if (!plan.revived.get(root.kind)?.has(root.id)) throw notDeleted();
  await write(ctx, plan, contents, portions).catch((error: unknown) => {
    throw isBroken('unique')(error) || isBroken('foreign_key')(error) ? conflict() : error;
  });
}

const messages: Partial<Record<Reason, Problem>> = {
  taken: alreadyTaken,
  missing: mustExist,
  too_large: totalTooLarge[1],
};

/**
 * @throws {Fault} VALIDATION_FAILED with all that stands in the way; below the record itself as
 *   `deals.7.stage_id`; NOT_FOUND where the trail no longer says when it was created
 */
function refuseConflicts({ conflicts }: Plan, root: RecordReversal, contents: Contents): void {
  const faults = faultsOf({ misplaced: [] });
  const isOfRoot = ({ kind, id }: Conflict) => kind === root.kind && id === root.id;
  if (conflicts.some((one) => one.reason === 'erased' && isOfRoot(one))) throw notFound();
  for (const one of conflicts) {
    const prefix = isOfRoot(one) ? '' : `${tableOf[one.kind]}.${one.id}.`;
    const fields = one.reason === 'too_large' ? [totalTooLarge[0]] : one.fields;
    for (const field of fields) {
      const holder = one.reason === 'taken' && one.kind === 'contact' && holderOf(one, field);
      const message = messages[one.reason] ?? `cannot be restored (${one.reason})`;
      if (holder) faults.addTaken(`${prefix}${field}`, { contact_id: holder });
      else faults.add(`${prefix}${field}`, message);
    }
  }
  faults.throwIfAny();

  function holderOf({ id }: Conflict, field: string): number | undefined {
    const value = id === root.id ? root.removed?.before.get(field) : undefined;
    const holder = [...contents.contacts].find(
      ([, known]) => (field === 'email' ? known.email : known.phone) === value,
    );
    return holder?.[0];
  }
}
