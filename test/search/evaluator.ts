/**
 * What a search finds, decided in memory from the rules alone: a record matches when every path
 * of its conditions can be given a record (or none, where there is none) so that the tree holds.
 */
import type { Attribute, Condition, Given, Query, Search } from './queries.ts';
import { ways } from './queries.ts';
import type { Cell, Row, World } from './world.ts';

/** The record that each path stands for; null where there is none. */
type Scene = ReadonlyMap<string, Row | null>;

/** Ids that match, in order. */
export function find(world: World, { table, query, sorts }: Search): readonly Cell[] {
  const rows = [...(world[table] ?? [])].filter((row) => matches(world, table, query, row));
  const keys = (row: Row) => sorts.map(({ attribute }) => sortKey(world, table, row, attribute));
  return rows
    .map((row) => ({ row, keys: keys(row) }))
    .sort((one, other) => {
      for (const [at, { descending }] of sorts.entries()) {
        const order = inOrder(one.keys[at] ?? null, other.keys[at] ?? null);
        if (order !== 0) return descending ? -order : order;
      }
      return Number(one.row['id']) - Number(other.row['id']);
    })
    .map(({ row }) => row['id'] ?? null);
}

function sortKey(world: World, table: string, row: Row, attribute: Attribute): Cell {
  let at: Row | null = row;
  let where = table;
  for (const step of attribute.path) {
    at = at === null ? null : (behind(world, where, at, step)[0] ?? null);
    where = ways[where]?.[step]?.to ?? '';
  }
  return at === null ? null : cellOf(at, attribute);
}

function inOrder(one: Cell, other: Cell): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  return compare(one, other);
}

/** Records behind one step. */
function behind(world: World, table: string, row: Row, step: string): readonly Row[] {
  const where = `${table}.${step}`;
  const having = (rows: readonly Row[], column: string, value: Cell | undefined) =>
    value === null ? [] : rows.filter((other) => other[column] === value);
  const over = (links: readonly Row[], mine: string, theirs: string, rows: readonly Row[]) =>
    having(links, mine, row['id']).flatMap((link) => having(rows, 'id', link[theirs]));
  switch (where) {
    case 'contacts.deals':
      return having(world.deals, 'contact_id', row['id']);
    case 'deals.contact':
      return having(world.contacts, 'id', row['contact_id']);
    case 'deals.stage':
      return having(world.stages, 'id', row['stage_id']);
    case 'deals.pipeline':
    case 'stages.pipeline':
      return having(world.pipelines, 'id', row['pipeline_id']);
    case 'deals.creator':
      return having(world.users, 'id', row['created_by_id']);
    case 'deals.deal_products':
      return having(world.deal_products, 'deal_id', row['id']);
    case 'deals.deal_assignees':
      return having(world.deal_assignees, 'deal_id', row['id']);
    case 'deals.products':
      return over(world.deal_products, 'deal_id', 'product_id', world.products);
    case 'deals.users':
      return over(world.deal_assignees, 'deal_id', 'user_id', world.users);
    case 'products.deal_products':
      return having(world.deal_products, 'product_id', row['id']);
    case 'deal_products.deal':
    case 'deal_assignees.deal':
      return having(world.deals, 'id', row['deal_id']);
    case 'deal_products.product':
      return having(world.products, 'id', row['product_id']);
    case 'deal_assignees.user':
      return having(world.users, 'id', row['user_id']);
    case 'products.deals':
      return over(world.deal_products, 'product_id', 'deal_id', world.deals);
    case 'users.deals':
      return over(world.deal_assignees, 'user_id', 'deal_id', world.deals);
    default:
      throw new Error(where);
  }
}

const denies = (predicate: string, value: Condition['value']) =>
  predicate === 'not_null' ? value === false : /^(not_|does_not)/.test(predicate);

const isDenial = (table: string, { path }: Attribute, { predicate, value }: Condition) => {
  let where = table;
  const many = path.some((step) => {
    const way = ways[where]?.[step];
    where = way?.to ?? '';
    return way?.many;
  });
  return many && denies(predicate, value);
};

function matches(world: World, table: string, query: Query, row: Row): boolean {
  const paths = new Set<string>();
  const collect = (of: Query) => {
    for (const condition of of.conditions) {
      for (const attribute of condition.attributes) {
        if (isDenial(table, attribute, condition)) continue;
        for (const at of attribute.path.keys()) {
          paths.add(attribute.path.slice(0, at + 1).join('.'));
        }
      }
    }
    of.groups.forEach(collect);
  };
  collect(query);
  const ordered = [...paths].sort((one, other) => one.split('.').length - other.split('.').length);
  const tableOf = (path: readonly string[]) =>
    path.reduce((where, step) => ways[where]?.[step]?.to ?? '', table);
  const some = (scene: Scene, at: number): boolean => {
    const path = ordered[at];
    if (path === undefined) return holds(world, table, query, scene);
    const steps = path.split('.');
    const step = steps.pop() ?? '';
    const parent = scene.get(steps.join('.')) ?? null;
    const rows = parent === null ? [] : behind(world, tableOf(steps), parent, step);
    return (rows.length === 0 ? [null] : rows).some((found) =>
      some(new Map([...scene, [path, found]]), at + 1),
    );
  };
  return some(new Map([['', row]]), 0);
}

function holds(world: World, table: string, query: Query, scene: Scene): boolean {
  const parts = [
    ...query.conditions.map((condition) => () => {
      const asked = condition.attributes.map(
        (attribute) => () =>
          isDenial(table, attribute, condition)
            ? noneContradicts(world, table, attribute, condition, scene.get('') ?? null)
            : test(condition, attribute, scene.get(attribute.path.join('.')) ?? null),
      );
      return condition.joint === 'or' && asked.length > 1
        ? asked.some((ask) => ask())
        : asked.every((ask) => ask());
    }),
    ...query.groups
      .filter((group) => !isEmpty(group))
      .map((group) => () => holds(world, table, group, scene)),
  ];
  if (parts.length === 0) return true;
  return query.m === 'or' ? parts.some((part) => part()) : parts.every((part) => part());
}

/** Groups without conditions say nothing. */
const isEmpty = ({ conditions, groups }: Query): boolean =>
  conditions.length === 0 && groups.every(isEmpty);

function noneContradicts(
  world: World,
  table: string,
  attribute: Attribute,
  condition: Condition,
  row: Row | null,
): boolean {
  let rows: readonly Row[] = row ? [row] : [];
  let where = table;
  for (const step of attribute.path) {
    const from = where;
    rows = rows.flatMap((one) => behind(world, from, one, step));
    where = ways[where]?.[step]?.to ?? '';
  }
  return !rows.some((child) => {
    const cell = cellOf(child, attribute);
    if (condition.predicate === 'not_null') return !isMissing(cell, attribute.kind);
    return cell !== null && !test(condition, attribute, child);
  });
}

function cellOf(row: Row, { column, kind, key }: Attribute): Cell {
  const cell = row[column] ?? null;
  if (key !== undefined) {
    const value = JSON.parse(JSON.stringify(cell))[key] ?? null;
    return value === null ? null : String(value).normalize('NFC');
  }
  return kind === 'timestamp' && typeof cell === 'string' ? instant(cell) : cell;
}

function test(condition: Condition, attribute: Attribute, row: Row | null): boolean {
  const { predicate, value } = condition;
  const cell = row === null ? null : cellOf(row, attribute);
  const missing = isMissing(cell, attribute.kind);
  const empty = missing || (cell === '' && attribute.kind === 'text');
  switch (predicate) {
    case 'null':
      return missing === value;
    case 'not_null':
      return missing !== value;
    case 'blank':
      return empty === value;
    case 'present':
      return empty !== value;
    default:
      break;
  }
  if (row === null) return false;
  if (attribute.kind === 'labels') {
    const labels = Array.isArray(cell) ? cell : [];
    const is = (label: Cell) => fulfils(condition, 'text', label);
    return denies(predicate, value) ? labels.every(is) : labels.some(is);
  }
  return cell !== null && fulfils(condition, attribute.kind, cell);
}

/** Whether there is no value: of labels, no label. */
const isMissing = (cell: Cell, kind: Attribute['kind']): boolean =>
  cell === null || (kind === 'labels' && Array.isArray(cell) && cell.length === 0);

/** A condition on one value that is there. */
function fulfils({ predicate, value }: Condition, kind: Attribute['kind'], cell: Cell): boolean {
  const [, name = '', quantifier] = /^(.*?)(?:_(any|all))?$/.exec(predicate) ?? [];
  const values = (Array.isArray(value) ? value : [value]).map((one) => read(one, kind));
  if (name === 'in' && !quantifier) return values.some((one) => compares('eq', cell, one));
  if (name === 'not_in' && !quantifier) return values.every((one) => compares('not_eq', cell, one));
  const each = name.replace(/^in$/, 'eq').replace(/^not_in$/, 'not_eq');
  return quantifier === 'any'
    ? values.some((one) => compares(each, cell, one))
    : values.every((one) => compares(each, cell, one));
}

function read(value: Given, kind: Attribute['kind']): Cell {
  if (kind === 'boolean') return value;
  if (kind === 'integer') return Number(value);
  return kind === 'timestamp' ? instant(String(value)) : String(value).normalize('NFC');
}

/** Milliseconds since 1970 and parts of one, of the ways of writing a time that queries use. */
function instant(written: string): number {
  const long = written
    .replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z')
    .replace(' ', 'T')
    .replace(',', '.')
    .replace(/\+(\d\d)(\d\d)$/, '+$1:$2');
  const zoned = /(Z|[+-]\d\d:\d\d)$/.test(long.slice(10)) || long.length === 10 ? long : `${long}Z`;
  const beyond = /\.\d{3}(\d+)/.exec(zoned)?.[1] ?? '';
  return Date.parse(zoned.replace(/(\.\d{3})\d+/, '$1')) + Number(`0.${beyond}0`);
}

function compares(name: string, cell: Cell, value: Cell): boolean {
  if (name.startsWith('not_')) return !compares(name.slice(4), cell, value);
  const text = lower(String(cell));
  const part = lower(String(value));
  switch (name) {
    case 'eq':
    case 'true':
      return cell === value;
    case 'false':
      return cell !== value;
    case 'lt':
      return compare(cell, value) < 0;
    case 'lteq':
      return compare(cell, value) <= 0;
    case 'gt':
      return compare(cell, value) > 0;
    case 'gteq':
      return compare(cell, value) >= 0;
    case 'cont':
    case 'i_cont':
      return text.includes(part);
    case 'start':
      return text.startsWith(part);
    case 'end':
      return text.endsWith(part);
    case 'matches':
      return like([...text], [...part]);
    case 'does_not_match':
      return !like([...text], [...part]);
    default:
      throw new Error(name);
  }
}

/** Texts by code point, numbers by size. */
function compare(one: Cell, other: Cell): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  const [left, right] = [[...String(one)], [...String(other)]];
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    const order = (left[at]?.codePointAt(0) ?? 0) - (right[at]?.codePointAt(0) ?? 0);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

/** Each character's own small letter, whatever stands around it; of sigma the one within words. */
const lower = (text: string) =>
  [...text]
    .map((character) => [...character.toLowerCase()][0] ?? '')
    .join('')
    .replaceAll('ς', 'σ');

function like(text: readonly string[], pattern: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return text.length === 0;
  if (first === '%') return text.some((_, at) => like(text.slice(at), rest)) || like([], rest);
  if (text.length === 0) return false;
  if (first === '_') return like(text.slice(1), rest);
  if (first === '\\') return text[0] === rest[0] && like(text.slice(1), rest.slice(1));
  return text[0] === first && like(text.slice(1), rest);
}
