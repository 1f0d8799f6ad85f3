/** Random searches as trees, and how each is written as a query object. */
import fc from 'fast-check';
import { common, moments, numbers, type Table, words } from './world.ts';

export type Kind = 'boolean' | 'integer' | 'text' | 'timestamp' | 'labels';

export interface Attribute {
  readonly path: readonly string[];
  readonly column: string;
  readonly kind: Kind;
  readonly key?: string;
}

export interface Condition {
  readonly attributes: readonly Attribute[];
  readonly joint: 'or' | 'and';
  readonly predicate: string;
  /** A text, a number or a flag; or a list of them. */
  readonly value: Given | readonly Given[];
  /** Written as an entry of `c` instead of as a key. */
  readonly entry: boolean;
}

export type Given = string | number | boolean;

export interface Query {
  readonly m: 'or' | 'and';
  readonly conditions: readonly Condition[];
  readonly groups: readonly Query[];
}

export interface Search {
  readonly table: Table;
  readonly query: Query;
  readonly sorts: readonly { readonly attribute: Attribute; readonly descending: boolean }[];
}

const integer = 'integer';
const text = 'text';
const timestamp = 'timestamp';
const times = { created_at: timestamp, updated_at: timestamp } as const;

/** What may be searched, written out by hand from the contract. */
// biome-ignore format: a table
export const columns: Readonly<Record<string, Readonly<Record<string, Kind>>>> = {
  contacts: { id: integer, full_name: text, email: text, phone: text, app_type: text, app_id: integer, label_list: 'labels', ...times },
  deals: { id: integer, name: text, status: text, stage_id: integer, pipeline_id: integer, contact_id: integer, created_by_id: integer, position: integer, lost_reason: text, lost_at: timestamp, won_at: timestamp, total_deal_products_amount_in_cents: integer, closed_at: timestamp, last_activity_at: timestamp, next_step_at: timestamp, has_next_step: 'boolean', ...times },
  products: { id: integer, identifier: text, name: text, description: text, amount_in_cents: integer, quantity_available: integer, ...times },
  users: { id: integer, full_name: text, phone: text, language: text, job_description: text, avatar_url: text, role: text, ...times },
  stages: { id: integer, name: text, position: integer, rests_after_days: integer, ...times },
  pipelines: { id: integer, name: text, ...times },
  deal_products: { id: integer, product_id: integer, deal_id: integer, quantity: integer, unit_amount_in_cents: integer, product_name: text, product_identifier: text, total_amount_in_cents: integer, ...times },
  deal_assignees: { id: integer, deal_id: integer, user_id: integer, ...times },
};

// biome-ignore format: a table
export const ways: Readonly<Record<string, Readonly<Record<string, { to: string; many: boolean }>>>> = {
  contacts: { deals: { to: 'deals', many: true } },
  deals: {
    contact: { to: 'contacts', many: false },
    stage: { to: 'stages', many: false },
    pipeline: { to: 'pipelines', many: false },
    creator: { to: 'users', many: false },
    deal_assignees: { to: 'deal_assignees', many: true },
    deal_products: { to: 'deal_products', many: true },
    products: { to: 'products', many: true },
    users: { to: 'users', many: true },
  },
  products: { deal_products: { to: 'deal_products', many: true }, deals: { to: 'deals', many: true } },
  users: { deals: { to: 'deals', many: true } },
  deal_products: { deal: { to: 'deals', many: false }, product: { to: 'products', many: false } },
  deal_assignees: { deal: { to: 'deals', many: false }, user: { to: 'users', many: false } },
  stages: { pipeline: { to: 'pipelines', many: false } },
};

/** What may be followed from the record that is searched alone. */
const onlyFirst = [
  ...['deal_products.deal', 'deal_products.product'],
  ...['deal_assignees.deal', 'deal_assignees.user'],
];

const free = ['contacts', 'deals', 'products'];
const keys = ['city', 'a.b', 'black_or_white', 'nothing'];

function ownOf(table: string, path: readonly string[]): readonly Attribute[] {
  const own = Object.entries(columns[table] ?? {}).map(([column, kind]) => ({
    path,
    column,
    kind,
  }));
  if (!free.includes(table)) return own;
  const column = 'custom_attributes';
  return [...own, ...keys.map((key) => ({ path, column, kind: text, key }) as const)];
}

function attributesOf(table: string, steps: number, path: readonly string[] = []): Attribute[] {
  const behind =
    steps === 0
      ? []
      : Object.entries(ways[table] ?? {})
          .filter(([step]) => path.length === 0 || !onlyFirst.includes(`${table}.${step}`))
          .flatMap(([step, { to }]) => attributesOf(to, steps - 1, [...path, step]));
  return [...ownOf(table, path), ...behind];
}

const write = ({ path, column, key }: Attribute) =>
  [...path, key === undefined ? column : `${column}.${key}`].join('_');

/**
 * Names that mean something else than they were made from: a column that reads like a path
 * (`contact_id`) goes before it.
 */
function readsAsItself(attribute: Attribute, table: string): boolean {
  const written = write(attribute);
  return !(attribute.path.length > 0 && written in (columns[table] ?? {}));
}

const comparing = ['eq', 'not_eq', 'lt', 'lteq', 'gt', 'gteq'];
const listing = ['in', 'not_in'];
const matching = [
  'cont',
  'not_cont',
  'i_cont',
  'not_i_cont',
  'start',
  'not_start',
  'end',
  'not_end',
];
const live = ['matches', 'does_not_match'];
const flags = ['null', 'not_null', 'blank', 'present'];
const flagsOf = (kind: Kind) =>
  kind === 'boolean' ? [...flags, 'true', 'not_true', 'false', 'not_false'] : flags;
const quantified = (names: readonly string[]) =>
  names.flatMap((name) => [`${name}_any`, `${name}_all`]);

const scalar: Readonly<Record<Kind, readonly string[]>> = {
  boolean: comparing,
  integer: comparing,
  timestamp: comparing,
  text: [...comparing, ...matching, ...live],
  labels: [...comparing, ...matching, ...live],
};
const lists: Readonly<Record<Kind, readonly string[]>> = {
  boolean: [...listing, ...quantified([...comparing, ...listing])],
  integer: [...listing, ...quantified([...comparing, ...listing])],
  timestamp: [...listing, ...quantified([...comparing, ...listing])],
  text: [...listing, ...quantified([...scalar.text, ...listing])],
  labels: [...listing, ...quantified([...scalar.labels, ...listing])],
};

/** The predicates that a search may ask of each kind. */
export const asked = (kind: Kind): readonly string[] => [
  ...scalar[kind],
  ...lists[kind],
  ...flagsOf(kind),
];

const wellEnded = (pattern: string) => !/(^|[^\\])(\\\\)*\\$/.test(pattern);
const wanted = words.filter((word) => word.trim() !== '' && word.trim() === word);
const pattern = fc
  .array(fc.constantFrom('%', '_', '\\%', '\\_', '\\\\', 'a', 'A', 'n', 'é', 'Σ', 'b'), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => parts.join(''))
  .filter(wellEnded);

function valuesOf(kind: Kind, predicate: string): fc.Arbitrary<Given> {
  if (kind === 'boolean') return fc.boolean();
  if (kind === 'integer') {
    return fc.constantFrom<Given[]>(
      1,
      2,
      3,
      1,
      2,
      3,
      '2',
      ...numbers,
      String(2 ** 53 - 1),
      -1,
      '-5',
    );
  }
  if (kind === 'timestamp') {
    return fc.constantFrom(
      ...moments,
      '2024-01-01',
      '2024-02-29',
      '2024-02-29T09:00:00-03:00',
      '2024-01-01T00:00:00.0005Z',
      '2024-01-01T00:00:00.0000005Z',
      '2024-01-01T00:00:00.0009995Z',
      '2024-02-29 12:30:00,5',
      '20240229T120000Z',
      '2024-02-29T17:30+0530',
    );
  }
  return predicate.startsWith('matches') || predicate.startsWith('does_not_match')
    ? fc.oneof(pattern, fc.constantFrom(...wanted.filter(wellEnded)))
    : fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom<Given[]>(...common.slice(1), 'open') },
        {
          weight: 1,
          arbitrary: fc.constantFrom<Given[]>(...wanted, 10, 9),
        },
      );
}

/** Conditions mostly behind one favourite path, so that several speak of the same record. */
const condition = (table: string, favourite: string): fc.Arbitrary<Condition> => {
  const all = attributesOf(table, 3).filter((attribute) => readsAsItself(attribute, table));
  const behind = all.filter(({ path }) => path.join('.').startsWith(favourite));
  const own = all.filter(({ path }) => path.length === 0);
  const first = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...behind) },
    { weight: 1, arbitrary: fc.constantFrom(...own) },
    { weight: 1, arbitrary: fc.constantFrom(...all) },
  );
  return first.chain((attribute) => {
    const { kind } = attribute;
    const mates = [...behind, ...own].filter(
      (other) => other.kind === kind && other.key === undefined,
    );
    const more =
      kind === 'labels' || attribute.key !== undefined || mates.length === 0
        ? fc.constant([])
        : fc.oneof(
            { weight: 3, arbitrary: fc.constant<Attribute[]>([]) },
            fc.array(fc.constantFrom(...mates), { minLength: 1, maxLength: 2 }),
          );
    const shape = (predicate: fc.Arbitrary<string>, list: boolean, flag = false) =>
      predicate.chain((name) => {
        const one: fc.Arbitrary<Given> = flag ? fc.boolean() : valuesOf(kind, name);
        return fc.record({
          attributes: more.map((others) => [attribute, ...others]),
          joint: fc.constantFrom('or' as const, 'and' as const),
          predicate: fc.constant(name),
          value: list ? fc.array(one, { minLength: 1, maxLength: 3 }) : one,
          entry: fc.boolean(),
        });
      });
    return fc.oneof(
      { weight: 3, arbitrary: shape(fc.constantFrom(...scalar[kind]), false) },
      { weight: 2, arbitrary: shape(fc.constantFrom(...lists[kind]), true) },
      { weight: 1, arbitrary: shape(fc.constantFrom(...flagsOf(kind)), false, true) },
    );
  });
};

const query = (table: string, favourite: string, depth: number): fc.Arbitrary<Query> =>
  fc.record({
    m: fc.constantFrom('or' as const, 'and' as const),
    conditions: fc.array(condition(table, favourite), {
      minLength: depth > 0 ? 1 : 0,
      maxLength: 2,
    }),
    groups:
      depth === 0
        ? fc.constant([])
        : fc.oneof(fc.constant([]), fc.array(query(table, favourite, depth - 1), { maxLength: 2 })),
  });

const favouritesOf = (table: string) => [
  ...new Set(attributesOf(table, 2).map(({ path }) => path.join('.'))),
];

function sortable(table: string): readonly Attribute[] {
  return attributesOf(table, 2)
    .filter((attribute) => readsAsItself(attribute, table))
    .filter(
      ({ kind, path, key }) =>
        kind !== 'labels' && key === undefined && path.every((step) => !isMany(step)),
    );
}

const isMany = (step: string) => Object.values(ways).some((of) => of[step]?.many);

export const searches: fc.Arbitrary<Search> = fc
  .constantFrom<Table[]>('contacts', 'deals', 'products', 'users', 'stages', 'deal_products')
  .chain((table) =>
    fc.record({
      table: fc.constant(table),
      query: fc
        .constantFrom(...favouritesOf(table))
        .chain((favourite) => query(table, favourite, 2)),
      sorts: fc.array(
        fc.record({ attribute: fc.constantFrom(...sortable(table)), descending: fc.boolean() }),
        { maxLength: 3 },
      ),
    }),
  );

/** The query object of a search, conditions with one key in a `g` of their own. */
export function written({ query, sorts }: Search): Record<string, unknown> {
  const s = sorts.map(
    ({ attribute, descending }) => `${write(attribute)} ${descending ? 'desc' : 'asc'}`,
  );
  return { ...group(query), ...(s.length > 0 ? { s } : {}) };
}

function group({ m, conditions, groups }: Query): Record<string, unknown> {
  const keyed: Record<string, unknown> = {};
  const entries: unknown[] = [];
  const twins: Record<string, unknown>[] = [];
  for (const { attributes, joint, predicate, value, entry } of conditions) {
    const key = `${attributes.map(write).join(`_${joint}_`)}_${predicate}`;
    const ambiguous = attributes.length > 1 && attributes.some((attribute) => attribute.key);
    if (entry || ambiguous) {
      entries.push({
        a: attributes.map(write),
        p: predicate,
        v: Array.isArray(value) ? value : [value],
        m: joint,
      });
    } else if (key in keyed) twins.push({ [key]: value });
    else keyed[key] = value;
  }
  const inner = [...twins, ...groups.map(group)];
  return {
    m,
    ...keyed,
    ...(entries.length > 0 ? { c: entries } : {}),
    ...(inner.length > 0 ? { g: inner } : {}),
  };
}
