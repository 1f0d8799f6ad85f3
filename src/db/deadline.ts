import { Fault } from '../errors.ts';
import type { Database, Queryable } from './database.ts';
import { sql } from './sql.ts';

/** A statement that begins this soon may as well end with its own timeout. */
const slackMs = 100;

/**
 * The same database for a call that has only so much time: a statement that is still at work when
 * the time is up is stopped by PostgreSQL, and none begins afterwards.
 * @param until milliseconds since 1970
 * @param statementTimeoutMs after which every statement is stopped anyhow
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
  /** Each statement of a transaction has only what those before it left. */
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
