/** Finds out which accounts have new changes, for everyone who waits for them. */

import type { Watching } from '../../context/context.ts';
import type { Queryable } from '../../db/database.ts';
import { sql } from '../../db/sql/sql.ts';
import { askHorizon } from './horizon.ts';

/** How often the database is asked, in milliseconds. */
const usualPauseMs = 500;

interface WatchRow {
  /** Every change beneath this is there to be read. */
  readonly horizon: number;
  /** An account that has some since the last look; null where none has. */
  readonly changed: number | null;
}

/**
 * Watches the accounts that anybody listens to, with one statement for all of them. Nothing is added to
 * the path of writes, and nothing is asked while nobody listens.
 */
export class Watch implements Watching {
  readonly #db: Queryable;
  readonly #pauseMs: number;
  readonly #listeners = new Map<number, Set<() => void>>();
  /** Up to where was looked; undefined: from whenever listeners began. */
  #since: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  readonly #asked = new Map<string, Promise<unknown>>();

  constructor(db: Queryable, pauseMs = usualPauseMs) {
    this.#db = db;
    this.#pauseMs = pauseMs;
  }

  /**
   * Calls `heard` soon (within about half a second) after changes of the account became readable, and
   * once in a while without any. A caller that listens first and then reads misses nothing.
   * @returns how to stop
   */
  listen(accountId: number, heard: () => void): () => void {
    const listeners = this.#listeners.get(accountId) ?? new Set();
    const own = () => heard();
    this.#listeners.set(accountId, listeners.add(own));
    this.#begin();
    return () => {
      listeners.delete(own);
      if (listeners.size === 0 && this.#listeners.get(accountId) === listeners)
        this.#listeners.delete(accountId);
    };
  }

  once<T>(key: string, ask: () => Promise<T>): Promise<T> {
    const known = this.#asked.get(key);
    // Only one kind of question has this key.
    if (known) return known as Promise<T>;
    const answer = ask().finally(() => this.#asked.delete(key));
    this.#asked.set(key, answer);
    return answer;
  }

  /** Calls nobody from now on. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#listeners.clear();
  }

  #begin(): void {
    if (this.#timer || this.#isClosed) return;
    this.#timer = setTimeout(async () => {
      await this.#look();
      this.#timer = undefined;
      if (this.#listeners.size > 0) this.#begin();
      else this.#since = undefined;
    }, this.#pauseMs).unref();
  }

  async #look(): Promise<void> {
    const accounts = [...this.#listeners.keys()];
    if (accounts.length === 0) return;
    const listeners = new Set(accounts);
    try {
      const looked = await this.#ask(accounts);
      const [{ horizon } = { horizon: 0 }] = looked;
      // A standby that was promoted may count from below where its primary was.
      const isKnown = this.#since !== undefined && horizon >= this.#since;
      this.#since = horizon;
      const changed = looked.flatMap((each) => each.changed ?? []);
      // Nobody asked about accounts that were added meanwhile, and the next look begins at this one's end.
      const added = [...this.#listeners.keys()].filter((account) => !listeners.has(account));
      for (const account of [...(isKnown ? changed : accounts), ...added]) this.#call(account);
    } catch {
      // The next look begins where this one did; others report what is wrong with the database.
    }
  }

  #ask(accounts: readonly number[]): Promise<WatchRow[]> {
    return this.#db.query<WatchRow>(
      sql`WITH open AS MATERIALIZED (${askHorizon})
        SELECT open."order" AS horizon, changed.account_id AS changed FROM open LEFT JOIN (
          SELECT DISTINCT account_id FROM audit_entries WHERE account_id = ANY(${accounts}::bigint[])
            AND change_order >= ${this.#since ?? null}::bigint AND change_order < (SELECT "order" FROM open)
        ) AS changed ON true`,
      { reads: true },
    );
  }

  #call(account: number): void {
    for (const heard of this.#listeners.get(account) ?? []) heard();
  }
}
