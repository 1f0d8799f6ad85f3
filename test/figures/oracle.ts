/** What `summary` must answer, found record by record: paths are followed through objects, days told by Intl. */
import { dayOf } from '../kit/summarised.ts';
import type { Data, Kind, Row } from './world.ts';

type Aggregate = 'sum' | 'average' | 'smallest' | 'largest' | 'distinct';

/** A summary as the document asks for it. */
export interface Asked {
  readonly of: Uppercase<Kind>;
  /** The conditions of the query, and what they mean. */
  readonly query?: object;
  readonly matches?: (row: Row) => boolean;
  readonly by?: readonly string[];
  readonly on?: string;
  readonly from?: string;
  readonly to?: string;
  readonly fill?: boolean;
  readonly sort?: string;
  readonly ascending?: boolean;
  readonly limit?: number;
  readonly measures?: readonly string[];
}

type Value = string | number | boolean | null;

export interface Group {
  readonly keys: readonly { readonly value: Value; readonly label: string | null }[];
  readonly is_rest: boolean;
  readonly count: number;
  readonly [measure: string]: unknown;
}

const units = ['day', 'week', 'month', 'quarter', 'year'];
const dayMs = 86_400_000;
const utc = (day: string) => new Date(`${day}T00:00:00Z`);
const written = (date: Date) => date.toISOString().slice(0, 10);

/** The first day of the period that a day is in. */
function firstDay(day: string, unit: string): string {
  if (unit === 'week')
    return written(new Date(utc(day).getTime() - ((utc(day).getUTCDay() + 6) % 7) * dayMs));
  if (unit === 'month') return `${day.slice(0, 7)}-01`;
  if (unit === 'quarter')
    return `${day.slice(0, 5)}${String(Math.floor((Number(day.slice(5, 7)) - 1) / 3) * 3 + 1).padStart(2, '0')}-01`;
  return unit === 'year' ? `${day.slice(0, 4)}-01-01` : day;
}

function labelOf(day: string, unit: string): string {
  if (unit === 'quarter') return `${day.slice(0, 4)}-Q${Math.ceil(Number(day.slice(5, 7)) / 3)}`;
  if (unit === 'month') return day.slice(0, 7);
  if (unit === 'year') return day.slice(0, 4);
  if (unit === 'day') return day;
  const thursday = new Date(utc(day).getTime() + 3 * dayMs);
  const first = Date.UTC(thursday.getUTCFullYear(), 0, 1);
  const week = 1 + Math.floor((thursday.getTime() - first) / dayMs / 7);
  return `${thursday.getUTCFullYear()}-W${String(week).padStart(2, '0')}`;
}

const steps = [
  'contact',
  'stage',
  'pipeline',
  'creator',
  'deal_products',
  'deal_assignees',
  'products',
  'users',
  'deals',
  'deal',
  'product',
];

interface Name {
  readonly path: readonly string[];
  readonly column: string;
  readonly key?: string;
  readonly unit?: string;
}

/** Columns that begin as an association is called. */
const own = [
  'product_id',
  'product_name',
  'product_identifier',
  'deal_id',
  'contact_id',
  'stage_id',
  'pipeline_id',
];

function parsed(name: string): Name {
  const [before = '', after] = name.split('.');
  const unit = units.find((one) => one === after);
  const path: string[] = [];
  let rest = before;
  while (!own.includes(rest)) {
    const step = steps
      .filter((one) => rest.startsWith(`${one}_`))
      .sort((a, b) => b.length - a.length)[0];
    if (!step) break;
    path.push(step);
    rest = rest.slice(step.length + 1);
  }
  return { path, column: rest, ...(unit ? { unit } : after === undefined ? {} : { key: after }) };
}

type Bound = ReadonlyMap<string, Row | null>;

/** Each way to choose one associated row for every path, a row without values where there is none. */
function bindings(row: Row, paths: readonly (readonly string[])[]): readonly Bound[] {
  const all = [
    ...new Set(paths.flatMap((path) => path.map((_, at) => path.slice(0, at + 1).join('.')))),
  ].sort();
  let found: Bound[] = [new Map([['', row]])];
  for (const path of all) {
    const at = path.lastIndexOf('.');
    const [parent, step] = [path.slice(0, Math.max(at, 0)), path.slice(at + 1)];
    found = found.flatMap((bound) => {
      const next = bound.get(parent)?.[step];
      const rows = [next].flat().filter((one) => one !== undefined && one !== null);
      return (rows.length > 0 ? rows : [null]).map(
        (one) => new Map([...bound, [path, Object(one) === one ? Object(one) : null]]),
      );
    });
  }
  return found;
}

/** The values of a name where paths are bound; several of labels. */
function valuesOf({ path, column, key }: Name, bound: Bound): readonly Value[] {
  const row = bound.get(path.join('.'));
  const found = row?.[column];
  if (key !== undefined) {
    const inner: unknown = Object(found)[key];
    return [inner === undefined || inner === null || inner === '' ? null : String(inner)];
  }
  if (column === 'label_list') {
    const list = Array.isArray(found) ? found.map(String) : [];
    return list.length > 0 ? list : [null];
  }
  return [found === undefined || found === '' ? null : (found as Value)];
}

const product = <T>(lists: readonly (readonly T[])[]): readonly (readonly T[])[] =>
  lists.reduce<readonly (readonly T[])[]>(
    (all, list) => all.flatMap((one) => list.map((next) => [...one, next])),
    [[]],
  );

/** By the bytes of texts, null last. */
function compare(a: unknown, b: unknown): number {
  if (a === b) return 0;
  if (a === null || a === undefined) return 1;
  if (b === null || b === undefined) return -1;
  if (typeof a === 'string' && typeof b === 'string')
    return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return Number(a) < Number(b) ? -1 : 1;
}

interface Share {
  readonly row: Row;
  /** The bindings by which it is in the group. */
  readonly keys: readonly Value[];
}

/** Names of records by what refers to them. */
const named: Readonly<Record<string, (row: Row) => unknown>> = {
  stage_id: (row) => Object(row['stage'])['name'],
  pipeline_id: (row) => Object(row['pipeline'])['name'],
  contact_id: (row) => Object(row['contact'])['full_name'],
  created_by_id: (row) => Object(row['creator'])['full_name'],
  product_id: (row) => Object(row['product'])['name'],
  deal_id: (row) => Object(row['deal'])['name'],
  user_id: (row) => Object(row['user'])['full_name'],
};

export function summarised(data: Data, asked: Asked, zone: string): readonly Group[] {
  const { of, matches = () => true, on, from, to, fill, sort, ascending = false, limit } = asked;
  const rows = data[of.toLowerCase() as Kind].filter(matches);
  const names = (asked.by ?? []).map(parsed);
  const dated = on ? parsed(on) : (names.find(({ unit }) => unit) ?? parsed('created_at'));
  const dayFor = (value: Value) => dayOf(String(value), zone);
  const isWithin = (bound: Bound) => {
    if (!from && !to) return true;
    const [value = null] = valuesOf(dated, bound);
    if (value === null) return false;
    const day = dayFor(value);
    return (!from || day >= from) && (!to || day <= to);
  };
  const labels = new Map<string, string>();
  const keysIn = (row: Row, bound: Bound): readonly (readonly Value[])[] => {
    if (!isWithin(bound)) return [];
    const lists = names.map((name) =>
      valuesOf(name, bound).flatMap((value): Value[] => {
        if (!name.unit) {
          const title = named[name.column]?.(bound.get(name.path.join('.')) ?? row);
          if (title && typeof value === 'number')
            labels.set(`${name.column}:${value}`, String(title));
          return [value];
        }
        return value === null ? [] : [firstDay(dayFor(value), name.unit)];
      }),
    );
    return product(lists);
  };
  const paths = [...names.map(({ path }) => path), ...(from || to ? [dated.path] : [])];
  const groups = new Map<string, Share[]>();
  for (const row of rows) {
    const own = new Map<string, readonly Value[]>();
    for (const bound of bindings(row, paths))
      for (const keys of keysIn(row, bound)) own.set(JSON.stringify(keys), keys);
    for (const [id, keys] of own) groups.set(id, [...(groups.get(id) ?? []), { row, keys }]);
  }
  if (names.length === 0 && groups.size === 0) groups.set('[]', []);
  if (fill) fillIn(groups, names, asked, on === undefined);

  const measure = (text: string, ids: ReadonlySet<string>, shares: readonly Share[]): Value => {
    const open = text.indexOf('(');
    const [aggregate, name] = [text.slice(0, open) as Aggregate, parsed(text.slice(open + 1, -1))];
    if (aggregate === 'distinct') {
      const found = new Set<Value>();
      for (const row of new Set(shares.map((share) => share.row))) {
        for (const bound of bindings(row, [...paths, name.path])) {
          if (!keysIn(row, bound).some((keys) => ids.has(JSON.stringify(keys)))) continue;
          for (const value of valuesOf(name, bound)) if (value !== null) found.add(value);
        }
      }
      return shares.length === 0 && fill ? null : found.size;
    }
    const values = shares.flatMap(({ row }) => {
      const [bound = new Map()] = bindings(row, [name.path]);
      return valuesOf(name, bound).filter((value) => value !== null);
    });
    const numbers = values.map(Number);
    const sum = numbers.reduce((all, one) => all + one, 0);
    if (aggregate === 'sum') return sum;
    if (values.length === 0) return null;
    if (aggregate === 'average') {
      const mean = sum / values.length;
      return name.column.endsWith('_in_cents') ? Math.round(mean) : mean;
    }
    const sorted = [...values].sort(compare);
    const found = (aggregate === 'smallest' ? sorted[0] : sorted.at(-1)) ?? null;
    return typeof found === 'string' ? new Date(found).toISOString() : found;
  };

  const place = (name: Name, key: Value): unknown => {
    const isStage =
      name.column === 'stage_id' || (name.column === 'name' && name.path.at(-1) === 'stage');
    if (!isStage || key === null) return key;
    const stages = data.deals.map((deal) => Object(deal['stage']));
    const same = stages.filter((stage) => stage[name.column === 'name' ? 'name' : 'id'] === key);
    return Math.min(...same.map((stage) => stage.pipeline_id * 1000 + stage.position));
  };
  const all = [...groups].map(([id, shares]) => {
    const keys: readonly Value[] = JSON.parse(id);
    const sorting =
      sort === undefined
        ? null
        : sort === 'count'
          ? shares.length
          : measure(sort, new Set([id]), shares);
    return { id, keys, shares, sorting };
  });
  all.sort((a, b) => {
    const order = compare(a.sorting, b.sorting);
    if (order !== 0) return a.sorting === null || b.sorting === null || ascending ? order : -order;
    for (const [at, name] of names.entries()) {
      const found =
        compare(place(name, a.keys[at] ?? null), place(name, b.keys[at] ?? null)) ||
        compare(a.keys[at], b.keys[at]);
      if (found !== 0) return found;
    }
    return 0;
  });
  const shown = (
    ids: readonly string[],
    keys: readonly Value[],
    shares: readonly Share[],
    is_rest: boolean,
  ): Group => ({
    keys: names.map((name, at) => {
      const value = is_rest ? null : (keys[at] ?? null);
      const label =
        value === null
          ? null
          : name.unit
            ? labelOf(String(value), name.unit)
            : (labels.get(`${name.column}:${value}`) ?? String(value));
      return { value, label };
    }),
    is_rest,
    count: shares.length,
    ...Object.fromEntries(
      (asked.measures ?? []).map((text, at) => [`m${at}`, measure(text, new Set(ids), shares)]),
    ),
  });
  const first = all.slice(0, limit).map(({ id, keys, shares }) => shown([id], keys, shares, false));
  const others = limit === undefined ? [] : all.slice(limit);
  if (others.length === 0) return first;
  const rest = others.flatMap(({ shares }) => shares);
  return [
    ...first,
    shown(
      others.map(({ id }) => id),
      [],
      rest,
      true,
    ),
  ];
}

function fillIn(
  groups: Map<string, Share[]>,
  names: readonly Name[],
  { from, to }: Asked,
  isOn: boolean,
): void {
  const at = names.findIndex(({ unit }) => unit);
  const { unit = '' } = names[at] ?? {};
  const found = [...groups.keys()].map((id): readonly Value[] => JSON.parse(id));
  const days = found.map((keys) => String(keys[at])).sort();
  const [first, last] = [
    isOn && from ? firstDay(from, unit) : days[0],
    isOn && to ? firstDay(to, unit) : days.at(-1),
  ];
  const others = names.length === 1 ? [[]] : found.map((keys) => keys.toSpliced(at, 1));
  for (
    let day = utc(first ?? '2025-01-01');
    last && written(day) <= last;
    day = new Date(day.getTime() + dayMs)
  ) {
    for (const kind of others) {
      const id = JSON.stringify(kind.toSpliced(at, 0, firstDay(written(day), unit)));
      if (!groups.has(id)) groups.set(id, []);
    }
  }
}
