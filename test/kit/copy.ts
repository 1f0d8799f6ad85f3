/** A copy of an account as somebody keeps it who has a snapshot and the feed, and nothing else. */
import type { Horizon } from '../../src/resources/changes/horizon.ts';
import type { TestDatabase } from './database.ts';
import { type Change, type ChangePage, changes, type Parameters } from './feed.ts';
import { apply, contentsOf, type Replica, readReplica } from './replica.ts';
import type { Rest } from './rest.ts';
import { pg, shipped } from './shared.ts';

const { writeCursor } = await shipped<typeof import('../../src/resources/changes/cursor.ts')>(
  'resources/changes/cursor.js',
);
const { askHorizon } = await shipped<typeof import('../../src/resources/changes/horizon.ts')>(
  'resources/changes/horizon.js',
);
const { cursorNow, cursorOf } = await shipped<typeof import('../../src/resources/changes/now.ts')>(
  'resources/changes/now.js',
);

/** Tables that the feed leaves out. */
const untold = ['api_tokens', 'sessions', 'sign_in_codes'];

const told = (replica: Replica): Replica => {
  for (const table of untold) replica.delete(table);
  return replica;
};

/** The account's tables as they are, as far as they are in the feed. */
export const contents = async (database: TestDatabase, accountId: number) =>
  contentsOf(told(await readReplica(database, accountId)));

export class Copy {
  readonly #replica: Replica;
  #cursor: string;
  readonly #seen = new Set<string>();

  private constructor(replica: Replica, cursor: string) {
    this.#replica = replica;
    this.#cursor = cursor;
  }

  /** Copies an account, and the place in its feed, at one moment. */
  static async take(database: TestDatabase, accountId: number): Promise<Copy> {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY');
      const query: TestDatabase['query'] = async (text, values = []) =>
        (await client.query(text, [...values])).rows;
      const replica = told(await readReplica({ ...database, query }, accountId));
      const [horizon] = (await client.query<Horizon>(askHorizon.text)).rows;
      if (!horizon) throw new Error('there is no horizon');
      const { text, values } = cursorNow(accountId, horizon);
      const { rows } = await client.query<{ cursor: string }>(`SELECT ${text}::text AS cursor`, [
        ...values,
      ]);
      return new Copy(replica, writeCursor(cursorOf(rows[0]?.cursor ?? '')));
    } finally {
      await client.end();
    }
  }

  /** How many changes it has got. */
  get told(): number {
    return this.#seen.size;
  }

  get contents() {
    return contentsOf(this.#replica);
  }

  /**
   * Reads on and applies the changes, until one is the last.
   * @param ask asks for a page, again where it has to
   */
  async follow(
    ask: (parameters: Parameters) => Promise<ChangePage>,
    limit: number,
    isLast: (change: Change) => boolean,
  ): Promise<void> {
    for (;;) {
      const { data, next } = await ask({ after: this.#cursor, limit, wait: 20 });
      for (const change of data) {
        if (this.#seen.has(change.cursor)) throw new Error(`${change.cursor} came twice`);
        this.#seen.add(change.cursor);
        apply(this.#replica, change);
      }
      this.#cursor = next;
      if (data.some(isLast)) return;
    }
  }
}

/** Pages as a client asks for them. */
export const pagesFor = (rest: Rest) => (parameters: Parameters) => changes(rest, parameters);
