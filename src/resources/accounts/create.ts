import type { Queryable } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import { Faults } from '../../errors.ts';
import { readFields, text } from '../fields.ts';

export interface Account {
  readonly id: number;
  readonly name: string;
  readonly created_at: string;
}

const accountFields = {
  name: text({
    normalise: (name) => name.trim(),
    check: (name) => (name === '' ? "can't be blank" : undefined),
  }),
};

/**
 * Creates an account. No viewer may: an operator does.
 * @throws {Fault} VALIDATION_FAILED for a blank or too long name
 */
export async function insertAccount(db: Queryable, name: string, now: Date): Promise<Account> {
  const faults = new Faults();
  const sent = readFields({ name }, accountFields, faults);
  faults.throwIfAny();
  const at = now.toISOString();
  const [created] = await db.query<{ id: number; name: string }>(
    sql`INSERT INTO accounts (name, created_at, updated_at)
        VALUES (${sent.name}, ${at}::timestamptz, ${at}::timestamptz) RETURNING id, name`,
  );
  if (!created) throw new Error('the inserted account was not returned');
  return { ...created, created_at: at };
}
