/** How far feed and webhooks are behind, for operators. */
import type { Queryable } from '../db/database.ts';
import { sql } from '../db/sql/sql.ts';

/** Seconds are the database's. */
export interface Backlog {
  /** For how long the order of changes has been open: later ones cannot be read yet. */
  readonly changesBehind: number;
  /** Deliveries that are due and that nobody has taken on. */
  readonly due: number;
  /** For how long the first of them has been due; 0 when there is none. */
  readonly oldestDue: number;
}

interface Row {
  /** Of the oldest transaction that may have written; null when there is none. */
  readonly xid: string | null;
  /** For how long it has been open; null when our role may not know. */
  readonly open: number | null;
  readonly due: number;
  readonly oldest_due: number | null;
}

/**
 * Looks at what is open and due, by one statement for all accounts. The age of a transaction of another role is
 * hidden from roles without pg_read_all_stats: then it counts from when it was first seen here.
 */
export class BacklogReader {
  readonly #db: Queryable;
  #hidden = { xid: '', since: 0 };

  constructor(db: Queryable) {
    this.#db = db;
  }

  async read(): Promise<Backlog> {
    const [row] = await this.#db.query<Row>(
      sql`SELECT xid, open, due, oldest_due FROM (
          SELECT count(*) AS due, extract(epoch FROM now() - min(d.next_attempt_at))::float8 AS oldest_due
          FROM webhooks AS w JOIN webhook_deliveries AS d ON d.account_id = w.account_id AND d.webhook_id = w.id
          WHERE w.enabled AND d.status = 'pending' AND d.next_attempt_at <= now()
        ) AS deliveries LEFT JOIN (
          SELECT xid::text AS xid, extract(epoch FROM clock_timestamp() - since)::float8 AS open FROM (
            SELECT backend_xid AS xid, xact_start AS since FROM pg_stat_activity WHERE backend_xid IS NOT NULL
            UNION ALL SELECT transaction, prepared FROM pg_prepared_xacts
          ) AS writing ORDER BY age(xid) DESC LIMIT 1
        ) AS oldest ON true`,
    );
    if (!row) throw new Error('a row that is always there was not returned');
    const { xid, open, due, oldest_due } = row;
    const changesBehind = xid === null ? 0 : (open ?? this.#sinceSeen(xid));
    return { changesBehind, due, oldestDue: oldest_due ?? 0 };
  }

  #sinceSeen(xid: string): number {
    const now = performance.now();
    if (this.#hidden.xid !== xid) this.#hidden = { xid, since: now };
    return (now - this.#hidden.since) / 1000;
  }
}
