import type { Queryable } from '../db/database.ts';
import { sql } from '../db/sql.ts';

/** How long uses are collected before they are written together. */
const collectMs = 500;

/**
 * Notes which tokens are in use, apart from the requests that use them, so that whoever only reads
 * writes nothing and waits for no write. What is lost with a process or a database that is down is
 * noted when the token is looked up again.
 */
export class TokenUses {
  readonly #db: Queryable;
  readonly #collected = new Set<number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(db: Queryable) {
    this.#db = db;
  }

  /** @param tokenId of a token that has not been noted for a minute */
  note(tokenId: number): void {
    this.#collected.add(tokenId);
    this.#timer ??= setTimeout(() => void this.write(), collectMs).unref();
  }

  /** Writes what is collected: each token at most once a minute, whichever processes noted it. */
  async write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#collected.size === 0) return;
    const ids = [...this.#collected];
    this.#collected.clear();
    await this.#db
      .query(
        sql`UPDATE api_tokens SET last_used_at = now() WHERE id IN (
              SELECT id FROM api_tokens WHERE id = ANY(${ids}::bigint[])
                AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')
              FOR UPDATE SKIP LOCKED)`,
        { named: true },
      )
      .catch(() => undefined);
  }
}
