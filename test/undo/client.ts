/** A copy of an account as a client keeps it: from exports, and then from the feed alone. */
import { tables } from '../../src/generated/shapes.ts';
import { isAudited } from '../../src/resources/audit/columns.ts';
import { type Change, changes } from '../kit/feed.ts';
import { apply, contentsOf, type Replica } from '../kit/replica.ts';
import type { Rest } from '../kit/rest.ts';

type Row = Readonly<Record<string, unknown>>;

/** What can be exported, and what of the feed concerns each. */
const kinds = {
  contacts: 'contacts',
  // How a stage's deals shift is a change of the stage.
  deals: 'deals,stages',
  products: 'products',
  deal_products: 'deal_products',
  events: 'events',
  users: 'users',
} as const;
type Kind = keyof typeof kinds;
const exported: readonly Kind[] = [
  ...(['contacts', 'deals', 'products'] as const),
  ...(['deal_products', 'events', 'users'] as const),
];

/** Where the feed goes on for a kind, and which of its fields an export shows and the feed tells. */
interface Followed {
  readonly cursor: string;
  readonly fields: ReadonlySet<string>;
}

export class ClientCopy {
  readonly #rest: Rest;
  /** Stages have no export; a change of their order concerns deals alone. */
  readonly #replica: Replica = new Map([['stages', new Map()]]);
  readonly #followed = new Map<Kind, Followed>();

  private constructor(rest: Rest) {
    this.#rest = rest;
  }

  /** Of an account that has some of each kind. */
  static async take(rest: Rest): Promise<ClientCopy> {
    const copy = new ClientCopy(rest);
    for (const kind of exported) {
      const { status, headers, text } = await rest.get(`/${kind}/export`);
      const cursor = headers['x-changes-cursor'];
      if (status !== 200 || typeof cursor !== 'string')
        throw new Error(`${kind}: ${status} ${text}`);
      const rows: readonly Row[] = JSON.parse(`[${text.trim().replaceAll('\n', ',')}]`);
      const fields = new Set(Object.keys(rows[0] ?? {}).filter((field) => isTold(kind, field)));
      copy.#followed.set(kind, { cursor, fields });
      copy.#replica.set(kind, new Map(rows.map((row) => [Number(row.id), pick(row, fields)])));
    }
    return copy;
  }

  /** Reads the feed to its end. */
  async follow(): Promise<void> {
    for (const [kind, { cursor, fields }] of this.#followed) {
      let after = cursor;
      for (let more = true; more; ) {
        const page = await changes(this.#rest, { after, limit: 100, records: kinds[kind] });
        for (const change of page.data) this.#apply(kind, change, fields);
        after = page.next;
        more = page.more;
      }
      this.#followed.set(kind, { cursor: after, fields });
    }
  }

  #apply(kind: Kind, change: Change, fields: ReadonlySet<string>): void {
    const { record_type, action, before, after } = change;
    if (record_type !== tables[kind].one) {
      if (action === 'reorder') apply(this.#replica, change);
      return;
    }
    const [was, is] = [before, after].map((row) => row && pick(row, fields));
    apply(this.#replica, { ...change, before: was ?? null, after: is ?? null });
  }

  get contents() {
    return contentsOf(this.#replica);
  }
}

const isTold = (kind: Kind, field: string): boolean =>
  ['created_at', 'updated_at', 'position'].includes(field) ||
  (field in tables[kind].columns && isAudited(kind, field));

const pick = (row: Row, fields: ReadonlySet<string>): Row =>
  Object.fromEntries(Object.entries(row).filter(([field]) => fields.has(field)));
