/**
 * When a request writes. Everything that it writes has the same moment: that of its first write, by the
 * database's clock. What it waited for before that, such as a lock, lies before the moment. `moment()`
 * keeps it for the rest of the transaction; a batch, which may take several, hands it on.
 */
import type { UnitOfWork } from '../../../context/context.ts';
import { raw, type Sql, sql } from '../../../db/sql/sql.ts';

/** The moment of the transaction that this is part of. */
export const clock = raw('moment()');

/**
 * The moment where a condition holds, and something else where not. Citus writes with no CASE that asks a clock, and
 * ends with a fault of its own where a column becomes an item of an array that has its type and length already.
 */
export const clockWhere = (condition: Sql, otherwise: Sql): Sql =>
  sql`(ARRAY[${otherwise}, ${clock}])[1 + (${condition})::integer]::timestamptz(3)`;

export type FixMoment = <Tx extends Transaction>(tx: Tx) => Promise<Tx>;

/** Gives all transactions of one request the moment of the first, see {@link fixMoment}. */
export function sharedMoment(): FixMoment {
  let moment: Date | undefined;
  return async (tx) => {
    const fixed = await fixMoment(tx, moment);
    moment = fixed.now;
    return fixed;
  };
}

type Transaction = Pick<UnitOfWork, 'db' | 'now'>;

/**
 * Gives a transaction its moment before its first write, for rules that write it elsewhere than into
 * `created_at` and `updated_at`.
 * @param moment of an earlier transaction of the same request; the present if undefined
 * @returns the unit of work, whose `now` is the moment
 */
export async function fixMoment<Tx extends Transaction>(tx: Tx, moment?: Date): Promise<Tx> {
  const [fixed] = await tx.db.query<{ moment: string }>(
    sql`SELECT set_config('crm.moment', coalesce(${moment?.toISOString() ?? null}::text, moment()::text), true)::timestamptz AS moment`,
  );
  if (!fixed) throw new Error('the database has no clock');
  return { ...tx, now: new Date(fixed.moment) };
}
