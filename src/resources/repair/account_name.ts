/** The name of an account as former rules stored it: the one text of an account that is none of its records. */
import type { Context } from '../../context/context.ts';
import { adhoc } from '../../db/database.ts';
import { type Sql, sql } from '../../db/sql/sql.ts';
import { Faults } from '../../errors/errors.ts';
import { changeAccount } from '../accounts/update.ts';
import { nameField } from '../kernel/fields/fields.ts';
import { inTransaction } from '../kernel/write/transaction.ts';
import { maxExamples, type Review, type UndoCounts } from './review.ts';

type Operating = Omit<Context, 'signing'>;

/** Finds an account's name that is stored otherwise than today's rules would, and mends it where asked for. */
export async function reviewName(
  ctx: Operating,
  review: Review,
  isRepairing: boolean,
): Promise<void> {
  const id = ctx.viewer.accountId;
  const [account] = await ctx.db.query<{ name: string }>(
    sql`SELECT name FROM accounts WHERE id = ${id}`,
    adhoc,
  );
  if (!account) return;
  const name = nameField.read(account.name, () => undefined);
  // What would be refused today cannot be stored anew.
  if (name === undefined || name === account.name) return;
  review.found += 1;
  if (review.examples.length < maxExamples) {
    const finding = { account: id, record: 'account', id, field: 'name' };
    review.examples.push({ ...finding, stored: account.name, becomes: name });
  }
  if (isRepairing && (await rename(ctx, account.name, name))) review.repaired += 1;
}

/** Puts an account's name back where a repair changed it and nothing has since. */
export async function undoName(
  ctx: Operating,
  requestId: string,
  undoing: UndoCounts,
): Promise<void> {
  const id = ctx.viewer.accountId;
  const [entry] = await ctx.db.query<{ before: string; after: string }>(
    sql`SELECT before ->> 'name' AS before, after ->> 'name' AS after FROM audit_entries
      WHERE account_id = ${id} AND record_type = 'account' AND record_id = ${id}
        AND request_id = ${requestId} AND action = 'account.update'`,
    adhoc,
  );
  if (!entry) return;
  if (await rename(ctx, entry.after, entry.before)) undoing.undone += 1;
  else undoing.changed_since += 1;
}

/** @returns false where the account has another name by now */
async function rename(ctx: Operating, from: string, to: string): Promise<boolean> {
  const id = ctx.viewer.accountId;
  const isNamed: Sql = sql`SELECT FROM accounts WHERE id = ${id} AND name = ${from} FOR NO KEY UPDATE`;
  return inTransaction(ctx, async (tx) => {
    const rows = await tx.db.query(isNamed, adhoc);
    if (rows.length > 0) await changeAccount(tx, { name: to }, new Faults());
    return rows.length > 0;
  });
}
