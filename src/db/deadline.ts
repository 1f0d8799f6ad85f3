import { Fault } from '../errors.ts';
import type { Database, Queryable } from './database.ts';
import { sql } from './sql.ts';

/** A deadline this much earlier than the statement's own timeout is not worth a transaction. */
const slackMs = 100;

/**
 * The same database for a call with a deadline: PostgreSQL stops a statement that is still running
 * when the time is up, and none starts afterwards.
 * @param until milliseconds since 1970
 * @param statementTimeoutMs after which every statement is stopped anyway
 * @throws {Fault} UNAVAILABLE from each statement once the time is up
 */
export function withDeadline(db: Database, until: number, statementTimeoutMs: number): Database {
  const remaining = (): number => {
    const ms = until - Date.now();
    if (ms <= 0) throw new Fault('UNAVAILABLE', ['The request takes too long']);
    return ms;
  };
  const limited = async (tx: Queryable) => {
    const ms = String(Math.min(remaining(), statementTimeoutMs));
    await tx.query(sql`SELECT set_config('statement_timeout', ${ms}, true)`, { named: true });
  };
  /** Each statement of a transaction gets the time that those before it left. */
  const within = (tx: Queryable): Queryable => ({
    query: async (statement, options) => {
      if (remaining() < statementTimeoutMs - slackMs) await limited(tx);
      return tx.query(statement, options);
    },
  });
  return {
    prisma: db.prisma,
    of: (account) => withDeadline(db.of(account), until, statementTimeoutMs),
    close: db.close,
    query: async (statement, options) => {
      if (remaining() >= statementTimeoutMs - slackMs) return db.query(statement, options);
      return db.transaction((tx) => within(tx).query(statement, options));
    },
    transaction: async (work) => {
      remaining();
      return db.transaction((tx) => work(within(tx)));
    },
  };
}
