import type { Context, UnitOfWork } from '../../context/context.ts';
import { name, sql } from '../../db/sql/sql.ts';
import { notFound } from '../../errors/errors.ts';
import { internal, tables } from '../../generated/shapes.ts';

/** Rows removed by one statement, so that none takes long. */
const batch = 1000;

/** What lets users in. */
const credentials = [
  'api_tokens',
  'sessions',
  'sign_in_codes',
] as const satisfies (keyof typeof tables)[];

/** How many rows of each table went. */
export type RowCounts = Readonly<Record<string, number>>;

/**
 * Removes an account with everything in it, for good. Its users' credentials end first. The rest goes in
 * batches, each table before those that it refers to; a call that is interrupted can simply be repeated. What
 * callers write meanwhile who were let in just before goes with the account itself. Only an operator may do
 * this, never a viewer.
 * @returns what was removed; the audit trail, which would say so, is gone with it
 * @throws {Fault} NOT_FOUND
 */
export async function deleteAccount(ctx: Context): Promise<RowCounts> {
  const { accountId } = ctx.viewer;
  const removed = new Map(childrenFirst.map((table) => [table, 0]));
  const remove = async (unit: UnitOfWork, table: string, max: number | null) => {
    const rows = await removeRows(unit, table, max);
    removed.set(table, (removed.get(table) ?? 0) + rows);
    return rows;
  };
  for (const table of [...credentials, ...childrenFirst]) {
    while ((await remove(ctx, table, batch)) === batch);
  }
  await ctx.db.transaction(async (db) => {
    // Anyone who still writes waits for this lock, and then finds the account gone.
    const rows = await db.query(sql`SELECT FROM accounts WHERE id = ${accountId} FOR UPDATE`);
    if (rows.length === 0) throw notFound();
    for (const table of childrenFirst) await remove({ ...ctx, db }, table, null);
    await db.query(sql`DELETE FROM accounts WHERE id = ${accountId}`);
  });
  ctx.viewers.forget(accountId);
  return Object.fromEntries(removed);
}

/** @param max null: all of them */
async function removeRows(ctx: UnitOfWork, table: string, max: number | null): Promise<number> {
  const { accountId } = ctx.viewer;
  const [row] = await ctx.db.query<{ rows: number }>(
    sql`WITH gone AS (
        DELETE FROM ${name(table)} WHERE account_id = ${accountId} AND id = ANY(ARRAY(
          SELECT id FROM ${name(table)} WHERE account_id = ${accountId} LIMIT ${max})) RETURNING id
      ) SELECT count(*) AS rows FROM gone`,
  );
  return row?.rows ?? 0;
}

/** All tables of accounts, each before those that it refers to. */
const childrenFirst: readonly string[] = [...internal, ...ordered()];

function ordered(): string[] {
  const placed = new Set<string>();
  const place = (table: string) => {
    if (placed.has(table)) return;
    for (const [child, { relations }] of Object.entries(tables)) {
      const refers = Object.values(relations).some(({ to, many }) => to === table && !many);
      if (refers && child !== table) place(child);
    }
    placed.add(table);
  };
  for (const table of Object.keys(tables)) place(table);
  return [...placed];
}
