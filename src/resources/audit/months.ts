/**
 * The audit trail by months, each a partition of its own: one that is no longer kept is dropped whole, which
 * costs as little for ten million entries as for ten.
 */
import { adhoc, type Database, type Queryable } from '../../db/database.ts';
import { lockKeys } from '../../db/migrations/lock_keys.ts';
import { name, raw, sql } from '../../db/sql/sql.ts';
import type { Chore } from '../kernel/housekeeper.ts';

/** How many months beyond this one have a partition, so that nothing waits for one. */
const ahead = 1;

/** A partition, and the moment before which all of its entries were written: ISO 8601. */
interface Month extends Record<string, unknown> {
  readonly partition: string;
  readonly until: string;
}

/** The monthly partitions, oldest first, without the default one. */
const months = (db: Queryable): Promise<Month[]> =>
  db.query<Month>(
    sql`SELECT partition, to_char(until AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS until
        FROM (SELECT relname AS partition,
            substring(pg_get_expr(relpartbound, pg_class.oid) FROM $$TO [(]'(.*)'[)]$$)::timestamptz AS until
          FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
          WHERE inhparent = 'audit_entries'::regclass) AS month
        WHERE until IS NOT NULL ORDER BY month.until`,
  );

/**
 * Creates the audit trail's next months, and drops those that are no longer kept.
 * @param keptSeconds how long entries are kept at least; null: for ever
 */
export const keepMonths = (db: Database, keptSeconds: number | null): Chore => ({
  name: 'audit trail by months',
  do: async (now) => {
    const newMonths = await makeMonths(db, now);
    const dropped = keptSeconds === null ? [] : await dropMonths(db, now, keptSeconds);
    return newMonths.length + dropped.length > 0 ? { made: newMonths, dropped } : undefined;
  },
});

/**
 * Creates the partitions that are missing for this month and the next. Entries that went to the default
 * partition meanwhile are moved.
 * @returns the names of the partitions created
 */
export async function makeMonths(db: Database, now: Date): Promise<readonly string[]> {
  const names: string[] = [];
  for (;;) {
    const month = await alone(db, (tx) => makeNext(tx, now));
    if (month === undefined) return names;
    names.push(month);
  }
}

async function makeNext(db: Queryable, now: Date): Promise<string | undefined> {
  const from = new Date((await months(db)).at(-1)?.until ?? monthsOn(now, 0));
  if (from >= monthsOn(now, ahead + 1)) return undefined;
  const partition = `audit_entries_${from.toISOString().slice(0, 7).replace('-', '_')}`;
  const [first, end] = [from, monthsOn(from, 1)].map((each) => raw(`'${each.toISOString()}'`));
  await db.query(
    sql`CREATE TABLE ${name(partition)} (LIKE audit_entries INCLUDING DEFAULTS INCLUDING STORAGE)`,
    adhoc,
  );
  const within = sql`FROM audit_entries_other WHERE created_at >= ${first} AND created_at < ${end}`;
  await db.query(sql`LOCK TABLE audit_entries_other IN ACCESS EXCLUSIVE MODE`);
  const early = await db.query(sql`SELECT id ${within} LIMIT 1`, adhoc);
  if (early.length > 0) {
    await db.query(
      sql`WITH moved AS (DELETE ${within} RETURNING *) INSERT INTO ${name(partition)} SELECT * FROM moved`,
      adhoc,
    );
  }
  await db.query(
    sql`ALTER TABLE audit_entries ATTACH PARTITION ${name(partition)} FOR VALUES FROM (${first}) TO (${end})`,
    adhoc,
  );
  return partition;
}

/**
 * Drops the months whose last entry is older than what is kept.
 * @param keptSeconds how long entries are kept at least
 * @returns the names of those dropped
 */
export async function dropMonths(
  db: Database,
  now: Date,
  keptSeconds: number,
): Promise<readonly string[]> {
  const dropped: string[] = [];
  for (;;) {
    const gone = await alone(db, async (tx) => {
      const [oldest] = await months(tx);
      if (!oldest || Date.parse(oldest.until) > now.getTime() - keptSeconds * 1000)
        return undefined;
      await tx.query(sql`DROP TABLE ${name(oldest.partition)}`, adhoc);
      return oldest.partition;
    });
    if (gone === undefined) return dropped;
    dropped.push(gone);
  }
}

/** Runs work in a transaction; undefined where another process is doing the same. */
const alone = (
  db: Database,
  work: (tx: Queryable) => Promise<string | undefined>,
): Promise<string | undefined> =>
  db.transaction(async (tx) => {
    const [lock] = await tx.query<{ taken: boolean }>(
      sql`SELECT pg_try_advisory_xact_lock(${raw(String(lockKeys.auditMonths))}) AS taken`,
    );
    if (!lock?.taken) return undefined;
    // Writers wait behind whoever waits for the table.
    await tx.query(sql`SET LOCAL lock_timeout = 500`);
    // Where servers share the accounts: one after the other, so that all of them see the same transaction.
    await tx.query(sql`SET LOCAL citus.multi_shard_modify_mode = 'sequential'`);
    return work(tx);
  });

/** The beginning of the month `count` months after that of `moment`, in UTC. */
const monthsOn = (moment: Date, count: number): Date =>
  new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth() + count));
