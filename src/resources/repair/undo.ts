/** Putting back what a repair changed, users and settings included, which a reversal of a token's writes leaves alone. */
import type { Context, UnitOfWork } from '../../context/context.ts';
import { adhoc } from '../../db/database.ts';
import { isBroken } from '../../db/errors.ts';
import { join, name, sql } from '../../db/sql/sql.ts';
import type { Values } from '../audit/changes.ts';
import { changeMany } from '../kernel/batch/change.ts';
import type { Resource } from '../kernel/resource.ts';
import { inTransaction } from '../kernel/write/transaction.ts';
import { undoName } from './account_name.ts';
import { repairable, textsOf } from './findings.ts';
import type { UndoCounts } from './review.ts';

interface Entry {
  readonly id: number;
  /** Texts of JSON objects. */
  readonly before: string;
  readonly after: string;
}

/** Records that one statement looks through the trails of. */
const pageSize = 1_000;

/** Records that one transaction puts back. */
const stepSize = 250;

/**
 * Puts back the fields of an account's records that a repair changed, as far as they are as it left them: as
 * changes like any other, with their entries in the trail.
 * @param requestId of the repair
 * @param undoing receives what was done
 */
export async function undoRepair(
  ctx: Omit<Context, 'signing'>,
  requestId: string,
  undoing: UndoCounts,
): Promise<void> {
  await undoName(ctx, requestId, undoing);
  for (const resource of repairable) {
    for await (const entries of entriesOf(ctx, resource, requestId)) {
      const undone = await putBack(ctx, resource, entries);
      undoing.undone += undone;
      undoing.changed_since += entries.length - undone;
    }
  }
}

/** The repair's entries of an account's records of one kind, page by page, in the order of their ids. */
async function* entriesOf(
  { db, viewer: { accountId } }: UnitOfWork,
  { table, one }: Resource,
  requestId: string,
): AsyncGenerator<readonly Entry[]> {
  for (let after = 0; ; ) {
    const rows = await db.query<Entry & { readonly last: number }>(
      sql`WITH page AS MATERIALIZED (
          SELECT id FROM ${name(table)} WHERE account_id = ${accountId} AND id > ${after} ORDER BY id LIMIT ${pageSize}
        )
        SELECT ends.last, entry.record_id AS id, entry.before, entry.after FROM (SELECT max(id) AS last FROM page) AS ends
        LEFT JOIN audit_entries AS entry ON entry.account_id = ${accountId} AND entry.record_type = ${one}
          AND entry.record_id IN (SELECT id FROM page) AND entry.request_id = ${requestId}
          AND entry.before IS NOT NULL AND entry.after IS NOT NULL
        WHERE ends.last IS NOT NULL ORDER BY entry.record_id, entry.id`,
      adhoc,
    );
    const [first] = rows;
    if (!first) return;
    after = first.last;
    const entries = rows.filter(({ id }) => id !== null);
    for (let at = 0; at < entries.length; at += stepSize) yield entries.slice(at, at + stepSize);
  }
}

/** @returns how many were put back */
async function putBack(
  ctx: Omit<Context, 'signing'>,
  resource: Resource,
  entries: readonly Entry[],
): Promise<number> {
  try {
    return await inTransaction(ctx, (tx) => write(tx, resource, entries));
  } catch (error) {
    if (!isBroken('unique')(error)) throw error;
    if (entries.length === 1) return 0;
    // Somebody has taken one of the former values meanwhile.
    let undone = 0;
    for (const entry of entries) undone += await putBack(ctx, resource, [entry]);
    return undone;
  }
}

async function write(
  tx: UnitOfWork,
  resource: Resource,
  entries: readonly Entry[],
): Promise<number> {
  const rows = await tx.db.query<Values & { readonly id: number }>(
    sql`SELECT id, ${join(textsOf(resource).map(name))} FROM ${name(resource.table)}
      WHERE account_id = ${tx.viewer.accountId} AND id = ANY(${entries.map(({ id }) => id)}::bigint[])
      ORDER BY id FOR NO KEY UPDATE`,
    adhoc,
  );
  const stored = new Map(rows.map((row) => [row.id, row]));
  const changes = entries.flatMap((entry) => {
    const { id } = entry;
    const now = stored.get(id);
    const before: Values = JSON.parse(entry.before);
    const after: Values = JSON.parse(entry.after);
    const same = Object.keys(after).filter(
      (field) =>
        now && field in before && JSON.stringify(now[field]) === JSON.stringify(after[field]),
    );
    if (same.length === 0) return [];
    return [{ id, fields: Object.fromEntries(same.map((field) => [field, before[field]])) }];
  });
  await changeMany(tx, resource, changes);
  return changes.length;
}
