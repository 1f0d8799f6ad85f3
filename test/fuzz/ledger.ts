/** Every write that was answered as done, to be found in the audit trail. */
import type { Database } from '../../src/db/database.ts';
import { isJson } from './pool.ts';

/** What a write says that it did. */
export interface Done {
  readonly request: string;
  readonly requestId: string;
  /** Records that it created or removed: each has an entry. */
  readonly entries: number;
  /** Whether a record that it told of was changed since it was sent. */
  readonly changed: boolean;
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
    return this.#done.flatMap((done) => {
      const found = entries.get(done.requestId) ?? 0;
      if (found >= Math.max(done.entries, done.changed ? 1 : 0)) return [];
      return [`${done.request} (${done.requestId}) has ${found} audit entries`];
    });
  }
}

/** Whether a record was changed since a moment, in milliseconds since 1970, as it tells itself. */
export const isChanged = (record: unknown, since: number): boolean =>
  isJson(record) && typeof record.updated_at === 'string' && Date.parse(record.updated_at) >= since;
