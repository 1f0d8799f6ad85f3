import type { Queryable } from '../db/database.ts';
import type { Sql } from '../db/sql/sql.ts';

/** How long uses are collected before they are written together. */
const collectMs = 500;

/**
 * Notes which tokens or sessions are in use, apart from the requests that use them, so that requests which
 * only read write nothing and wait for no write. A note that is lost with a process, or while the database is
 * down, is made when the credential is looked up again.
 */
export class LastUsedRecorder {
  readonly #db: Queryable;
  readonly #written: (ids: readonly number[]) => Sql;
  readonly #collected = new Set<number>();
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param written the UPDATE that notes a use of these ids, each at most once a minute, whichever
   *   processes noted it
   */
  constructor(db: Queryable, written: (ids: readonly number[]) => Sql) {
    this.#db = db;
    this.#written = written;
  }

  /** @param id of what has not been noted for a minute */
  record(id: number): void {
    this.#collected.add(id);
    this.#timer ??= setTimeout(() => void this.write(), collectMs).unref();
  }

  /** Writes what is collected. */
  async write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#collected.size === 0) return;
    const ids = [...this.#collected];
    this.#collected.clear();
    await this.#db.query(this.#written(ids)).catch(() => undefined);
  }
}
