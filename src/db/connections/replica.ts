/**
 * Reads from a standby that miss nothing which was committed before they were asked for, by whomever:
 * the primary is asked how far it is, which costs it much less than the read, and the standby answers
 * once it has got there. So a caller need not say what it wrote, nor ask the process that wrote it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../../errors/errors.ts';
import type { Caller, Database, Queryable } from '../database.ts';
import { isBroken, isStoppedBy } from '../errors.ts';
import type { OpenDatabase, PoolFigures } from '../open.ts';
import { sql } from '../sql/sql.ts';
import { checkSession } from './session.ts';

/** How far the primary is: where its log ends on the disk, and which timeline that is of. */
interface Position {
  readonly lsn: string;
  readonly timeline: string;
}

/**
 * What was acknowledged is on the disk, unless commits do not wait for it. Positions compare within
 * one timeline only: after a failover a standby may be further on the old one than the new one goes.
 */
const askPosition = sql`
  SELECT (CASE current_setting('synchronous_commit') WHEN 'off' THEN pg_current_wal_insert_lsn()
      ELSE pg_current_wal_flush_lsn() END)::text AS lsn,
    left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) AS timeline`;

/**
 * A standby that follows another timeline, or does not receive any, is not there yet. Nor may it have
 * decided already what the statements to come will see.
 */
const hasReached = ({ lsn, timeline }: Position) => sql`
  SELECT current_setting('transaction_isolation') = 'read committed'
    AND coalesce(pg_last_wal_replay_lsn() >= ${lsn}::pg_lsn, false) AND EXISTS (
      SELECT FROM pg_stat_get_wal_receiver() AS receiver
      WHERE upper(lpad(to_hex(receiver.received_tli), 8, '0')) = ${timeline}) AS reached`;

/** How old what a standby shows is: nothing is missing, or what it has of last was committed so long ago. */
const askDelay = ({ lsn }: Position) => sql`
  SELECT CASE WHEN pg_last_wal_replay_lsn() >= ${lsn}::pg_lsn THEN 0
    ELSE extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())::float8 END AS seconds`;

/** How long to wait for a standby that is behind, in milliseconds from one look to the next. */
const pauses = [1, 2, 4, 8, 16, 32] as const;

/** For this many milliseconds nothing is asked of a standby that has failed or fallen behind. */
const restMs = 500;

const behind = Symbol('the standby is behind');

/**
 * Reads from a standby, as fresh as the primary would answer them: the standby must have replayed what the
 * primary had committed when it was asked. Reads that it cannot answer in time go to the primary.
 */
export class Replica {
  readonly #primary: Queryable;
  readonly #standby: OpenDatabase;
  #asking: Promise<Position> | undefined;
  #restsUntil = 0;

  constructor(primary: Queryable, standby: OpenDatabase) {
    this.#primary = primary;
    this.#standby = standby;
  }

  /**
   * The database of an account for a caller whose reads may come from the standby. What the standby
   * cannot answer, as it should or at all, the primary does; transactions and writes are its own.
   * @param onRead called for each read with whether the standby answered it
   */
  reading(caller: Caller, primary: Database, onRead: (fromStandby: boolean) => void): Database {
    return {
      ...primary,
      of: (other) => this.reading(other, primary.of(other), onRead),
      query: async (statement, options) => {
        if (!options?.reads) return primary.query(statement, options);
        const readFrom = (from: Queryable) => from.query<never>(statement, options);
        const rows = await this.#read(caller, readFrom);
        onRead(rows !== behind);
        return rows === behind ? readFrom(primary) : rows;
      },
    };
  }

  /** What its connections do. */
  get figures(): PoolFigures {
    return this.#standby.figures;
  }

  /**
   * By how many seconds the standby is behind, for operators.
   * @param primary where it is asked how far the primary is
   * @param until when it has to be known, on the clock of `performance`
   * @returns undefined for one that is no standby any more
   * @throws when one of them does not answer
   */
  async delay(primary: Queryable, until: number): Promise<number | undefined> {
    const [position] = await primary.query<Position>(askPosition);
    if (!position) throw new Error('no position');
    const standby = this.#standby.of({ account: undefined, until });
    const [row] = await standby.query<{ seconds: number | null }>(askDelay(position));
    return row?.seconds ?? undefined;
  }

  /**
   * @throws when the standby answers, but its role may not see what it follows, so that no read would
   *   ever come from it; and what {@link checkSession} throws
   */
  async check(statementTimeoutMs: number): Promise<void> {
    const [role] = await this.#standby
      .query<{ name: string; sees: boolean }>(
        sql`SELECT current_user AS name, pg_has_role('pg_read_all_stats', 'USAGE') AS sees`,
      )
      .catch(() => []);
    if (role && !role.sees) {
      throw new Error(`DATABASE_READ_URL needs: GRANT pg_read_all_stats TO "${role.name}"`);
    }
    if (role) await checkSession(this.#standby, statementTimeoutMs);
  }

  close(): Promise<void> {
    return this.#standby.close();
  }

  async #read<T>(
    caller: Caller,
    read: (standby: Queryable) => Promise<T>,
  ): Promise<T | typeof behind> {
    if (performance.now() < this.#restsUntil) return behind;
    try {
      const position = await this.#position();
      // In one session, for another may be on another server; each statement sees anew what is there.
      const rows = await this.#standby
        .of({ ...caller, onQueued: undefined })
        .transaction(async (tx) => ((await reaches(tx, position)) ? read(tx) : behind));
      if (rows === behind) this.#rest();
      return rows;
    } catch (error) {
      if (!isOfServer(error)) throw error;
      this.#rest();
      return behind;
    }
  }

  #rest(): void {
    this.#restsUntil = performance.now() + restMs;
  }

  /** Reads that come in one turn of the event loop share the question: it is asked after all of them. */
  #position(): Promise<Position> {
    this.#asking ??= new Promise((resolve, reject) => {
      setImmediate(() => {
        this.#asking = undefined;
        this.#primary
          .query<Position>(askPosition, { reads: true })
          .then(([position]) => (position ? resolve(position) : reject(new Error('no position'))))
          .catch(reject);
      });
    });
    return this.#asking;
  }
}

/** Whether a standby is at a position, or gets there soon. */
async function reaches(standby: Queryable, position: Position): Promise<boolean> {
  for (const pause of [...pauses, 0]) {
    const [row] = await standby.query<{ reached: boolean }>(hasReached(position));
    if (row?.reached) return true;
    if (pause > 0) await sleep(pause);
  }
  return false;
}

/** Stopped for having run too long, as the primary would stop it. */
const timedOut = '57014';

/** Whether an error concerns the standby or the way to it, rather than the statement. */
function isOfServer(error: unknown): boolean {
  if (isBroken('conflict')(error)) return true;
  if (!(error instanceof Fault) || error.code !== 'UNAVAILABLE') return false;
  return !isStoppedBy(error, timedOut);
}
