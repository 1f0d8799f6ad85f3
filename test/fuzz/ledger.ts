/** Every write that was answered as done, to be found in the audit trail. */
import type { Database } from '../../src/db/database.ts';
import { isJson } from './pool.ts';

/** What a write says that it did. */
export interface Done {
  readonly request: string;
  readonly requestId: string;
  /** Records that it created or removed: each has an entry. */
  readonly entries: number;
  /** The `updated_at` of records that it may have changed; one that it did not has an older one. */
  readonly updated: readonly string[];
}

export class Ledger {
  readonly #done: Done[] = [];

  get length(): number {
    return this.#done.length;
  }

  add(done: Done): void {
    this.#done.push(done);
  }

  /**
   * Looks for the audit entries of all that was done.
   * @returns a sentence for each write that lacks one
   */
  async missing(db: Database, accountId: number): Promise<string[]> {
    const rows = await db.query<{ request_id: string; entries: number }>({
      text: 'SELECT request_id, count(*) AS entries FROM audit_entries WHERE account_id = $1 GROUP BY 1',
      values: [accountId],
    });
    const entries = new Map(rows.map((row) => [row.request_id, row.entries]));
    const times = await db.query<{ at: string }>({
      text: 'SELECT DISTINCT created_at AS at FROM audit_entries WHERE account_id = $1',
      values: [accountId],
    });
    const known = new Set(times.map(({ at }) => new Date(at).toISOString()));
    return this.#done.flatMap((done) => {
      const found = entries.get(done.requestId) ?? 0;
      const untold = done.updated.filter((at) => found === 0 && !known.has(at));
      if (found >= done.entries && untold.length === 0) return [];
      return [`${done.request} (${done.requestId}) has ${found} audit entries`];
    });
  }
}

/** When a record was changed last, as it tells itself. */
export const updatedAt = (record: unknown): string[] =>
  isJson(record) && typeof record.updated_at === 'string' ? [record.updated_at] : [];
