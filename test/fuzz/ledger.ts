/** Every write that was answered as done, to be found in the audit trail. */
import type { Database } from '../../src/db/database.ts';
import { isJson } from './pool.ts';

/** What a write says that it did. */
export interface Done {
  readonly request: string;
  readonly requestId: string;
  /** Records that it created or removed: each has an entry. */
  readonly entries: number;
  /** Records that it showed, and that were changed since it was sent. */
  readonly changed: readonly Changed[];
}

interface Changed {
  readonly type: string;
  readonly id: unknown;
  /** As the record has it, in milliseconds since 1970. */
  readonly at: number;
}

/** Between an entry and its record, in milliseconds: both are written by one statement. */
const apart = 1000;

interface Entry {
  readonly request_id: string;
  readonly record_type: string;
  readonly record_id: number;
  readonly created_at: string;
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
    const all = await db.query<Entry>({
      text: 'SELECT request_id, record_type, record_id, created_at FROM audit_entries WHERE account_id = $1',
      values: [accountId],
    });
    const entries = new Map<string, number>();
    for (const { request_id: id } of all) entries.set(id, (entries.get(id) ?? 0) + 1);
    return this.#done.flatMap((done) => {
      const found = entries.get(done.requestId) ?? 0;
      // Others write the same records: what they changed has an entry of theirs.
      const untold = done.changed.filter(
        ({ type, id, at }) =>
          found === 0 &&
          !all.some(
            (entry) =>
              Math.abs(Date.parse(entry.created_at) - at) < apart &&
              entry.record_type === type &&
              // Under an alias, what is reported as the id may be something else.
              (typeof id !== 'number' || entry.record_id === id),
          ),
      );
      if (found >= done.entries && untold.length === 0) return [];
      return [`${done.request} (${done.requestId}) has ${found} audit entries`];
    });
  }
}

/** A record, when it was changed since a moment, in milliseconds since 1970. */
export function changedSince(type: string, record: unknown, since: number): readonly Changed[] {
  const at = isJson(record) ? Date.parse(String(record.updated_at)) : Number.NaN;
  return isJson(record) && at >= since ? [{ type, id: record.id, at }] : [];
}
