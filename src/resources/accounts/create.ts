import { type Context, operating } from '../../context/context.ts';
import { sql } from '../../db/sql/sql.ts';
import { Faults } from '../../errors/errors.ts';
import { accounts } from '../audit/columns.ts';
import { auditEntries, creationOf } from '../audit/entry.ts';
import { nameField } from '../kernel/fields/fields.ts';
import { readFields } from '../kernel/fields/input.ts';

export interface Account {
  readonly id: number;
  readonly name: string;
  readonly created_at: string;
}

/**
 * Creates an account. Only an operator may, never a viewer.
 * @throws {Fault} VALIDATION_FAILED for a blank or too long name
 */
export async function insertAccount(
  { db, now, requestId }: Pick<Context, 'db' | 'now' | 'requestId'>,
  name: string,
): Promise<Account> {
  const faults = new Faults();
  const fields = readFields({ name }, { name: nameField }, faults);
  faults.throwIfAny();
  const at = now.toISOString();
  return db.transaction(async (tx) => {
    const [account] = await tx.query<{ id: number; name: string }>(
      sql`INSERT INTO accounts (name, created_at, updated_at)
          VALUES (${fields.name}, ${at}::timestamptz, ${at}::timestamptz) RETURNING id, name`,
    );
    if (!account) throw new Error('the inserted account was not returned');
    // The entry belongs to the account, so it has to come second.
    const ctx = operating({ db: tx, now, requestId }, account.id);
    await tx.query(
      sql`WITH written AS (SELECT * FROM accounts WHERE id = ${account.id})
          ${auditEntries(ctx, creationOf(accounts, 'written'))}`,
    );
    return { ...account, created_at: at };
  });
}
