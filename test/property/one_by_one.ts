/**
 * What an account and its trail hold, with names in place of ids, which differ from one account to
 * another.
 */
import type { World } from '../kit/world.ts';

type Row = Readonly<Record<string, unknown>>;

/** Tables whose records batches write, and those that these bring with them. */
const kinds = ['contacts', 'deals', 'products', 'deal_products', 'events'] as const;
export type Kind = (typeof kinds)[number];
const tables = [...kinds, 'deal_assignees'];

const singular: Readonly<Record<string, Kind>> = {
  contact: 'contacts',
  deal: 'deals',
  product: 'products',
  deal_product: 'deal_products',
  event: 'events',
};

/** Columns of deals that say in their own way what the position says. */
const ranks = ['rank', 'rank_fraction'];

export class Names {
  readonly #w: World;
  readonly #names = new Map<string, string>();

  constructor(w: World) {
    this.#w = w;
  }

  /** Names a record, unless it has a name. */
  give(kind: Kind, id: number, name: string): string {
    const key = `${kind} ${id}`;
    const known = this.#names.get(key) ?? name;
    this.#names.set(key, known);
    return known;
  }

  /** An answer or a row, with names. */
  in(value: unknown, kind?: Kind): unknown {
    if (Array.isArray(value)) return value.map((each) => this.in(each, kind));
    if (typeof value !== 'object' || value === null) {
      return typeof value === 'string' && /^\d{4}-\d\d-\d\d[T ]\d\d/.test(value)
        ? 'a moment'
        : value;
    }
    return Object.fromEntries(
      Object.entries(value)
        .filter(([name]) => !ranks.includes(name))
        .map(([name, inner]) => [name, this.#field(name, inner, kind)]),
    );
  }

  #field(name: string, value: unknown, kind: Kind | undefined): unknown {
    if (typeof value !== 'number') return this.in(value, kind);
    if (name === 'id') return kind ? this.#of(kind, value) : 'an id';
    const [, one = ''] = /^(?:old_|new_)?(\w+?)_id$/.exec(name) ?? [];
    const named = singular[one];
    if (named) return this.#of(named, value);
    if (one === 'stage') return `stage ${this.#w.stageIds.indexOf(value)}`;
    return /_id$/.test(name) ? 'an id' : value;
  }

  #of = (kind: Kind, id: number): string => this.#names.get(`${kind} ${id}`) ?? `some of ${kind}`;

  /** All records and entries of the account, in an order of their own. */
  async state(): Promise<unknown> {
    const { accountId, service } = this.#w;
    const rows = await Promise.all(
      tables.map(async (table) => {
        const found = await service.database.query<{ row: Row }>(
          `SELECT to_jsonb(t) - 'change_order' AS row FROM ${table} AS t WHERE account_id = $1`,
          [accountId],
        );
        const kind = kinds.find((each) => each === table);
        return [table, found.map(({ row }) => JSON.stringify(this.in(row, kind))).sort()] as const;
      }),
    );
    return { ...Object.fromEntries(rows), entries: await this.#entries() };
  }

  /** What the trail holds of each record, in order. */
  async #entries(): Promise<readonly string[]> {
    const { accountId, service } = this.#w;
    const found = await service.database.query<Row & { record_type: string; record_id: number }>(
      `SELECT action, record_type, record_id, before, after FROM audit_entries
       WHERE account_id = $1 AND record_type <> 'stage' ORDER BY id`,
      [accountId],
    );
    const histories = new Map<string, string[]>();
    for (const { record_type, record_id, ...entry } of found) {
      const key = `${record_type} ${record_id}`;
      const kind = singular[record_type];
      const name = kind ? this.#of(kind, record_id) : record_type;
      // Entries of deals that go together have the places from before the first of them went.
      const isGone = entry.action === 'deal.delete';
      const told = JSON.stringify([name, this.in(entry)], (key, value) =>
        isGone && key === 'position' ? undefined : value,
      );
      histories.set(key, [...(histories.get(key) ?? []), told]);
    }
    return [...histories.values()].map((history) => history.join('\n')).sort();
  }
}
