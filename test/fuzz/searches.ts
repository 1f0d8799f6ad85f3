/** Queries of the search language, mostly such as can be read. */
import type { Shape } from '../../src/db/sql/shape.ts';
import { type Searchable, searchedBy, searchReference } from '../../src/graphql/searchables.ts';
import { specified } from '../../src/resources/shapes.ts';
import { predicates } from '../../src/search/predicates.ts';
import { isJson } from './pool.ts';
import type { Random } from './random.ts';
import { freeKeys, text } from './values.ts';

/** An attribute as a key names it, behind its associations. */
interface Attribute {
  readonly name: string;
  readonly searchable: Searchable;
}

export type Query = Record<string, unknown>;

/** Attributes that a resource is searched by. */
export const attributesOf = (resource: string): readonly Attribute[] =>
  ownAttributes(shapeOf(resource));

const ownAttributes = (shape: Shape): readonly Attribute[] =>
  searchReference(shape).searchables.flatMap((searchable) =>
    searchable.attributes.map((name) => ({ name, searchable })),
  );

/** Lists within records are searched, too, by names that no root field has. */
const shapeOf = (resource: string): Shape =>
  Object.entries(specified).find(([name]) => name === resource)?.[1] ?? searchedBy(resource);

const attribute = (random: Random, resource: string): Attribute =>
  attributeFrom(random, shapeOf(resource), 0);

function attributeFrom(random: Random, shape: Shape, steps: number): Attribute {
  const { associations } = searchReference(shape);
  if (associations.length > 0 && steps < 4 && random.chance(0.25)) {
    const step = random.pick(associations);
    const way = shape.associations[step];
    const found = attributeFrom(random, way ? specified[way.to] : shape, steps + 1);
    return { ...found, name: `${step}_${found.name}` };
  }
  const { name, searchable } = random.pick(ownAttributes(shape));
  if (searchable.kind !== 'json') return { name, searchable };
  const key = random.chance(0.9) ? random.pick(freeKeys) : text(random, 8);
  return { name: `${name}.${key}`, searchable };
}

const days = ['2026-03-01', '2026-03-01T10:00:00Z', '1999-12-31T23:59:59.999Z', '2026-02'];
const parts = ['a', 'an', '%', '_', '\\', 'é', 'SS', '', ' ', '{a', 'Ω', '\u0000', '\ud800'];

function value(random: Random, kind: Searchable['kind']): unknown {
  if (random.chance(0.04)) return random.pick([null, [], {}, 1e21, 1.5, true, 'x'.repeat(3000)]);
  switch (kind) {
    case 'integer':
      return random.pick<unknown>([1, random.below(12_000), '4001', -1, 9007199254740991]);
    case 'timestamp':
      return random.pick(days);
    case 'boolean':
      return random.pick<unknown>([true, 'false', 1]);
    default:
      return random.chance(0.7) ? random.pick(parts.slice(0, 9)) : text(random, 8);
  }
}

function given(random: Random, kind: Searchable['kind'], takes: string): unknown {
  if (takes === 'flag') return random.pick<unknown>([true, false, 'true', '0', 1]);
  if (takes !== 'list') return value(random, kind);
  const max = random.chance(0.02) ? 1001 : 4;
  return random.many(0, max, () => value(random, kind));
}

/** A key and its value. */
function condition(random: Random, resource: string): [string, unknown] {
  const { name, searchable } = attribute(random, resource);
  const { name: predicate, takes } = random.chance(0.95)
    ? random.pick(searchable.predicates)
    : random.pick(predicates);
  const others = random.chance(0.15)
    ? random.many(1, 2, () => attribute(random, resource).name)
    : [];
  const names = [name, ...others].join(random.pick(['_or_', '_and_']));
  return [`${names}_${predicate}`, given(random, searchable.kind, takes)];
}

function entry(random: Random, resource: string): Query {
  const { name, searchable } = attribute(random, resource);
  const { name: p, takes } = random.pick(searchable.predicates);
  const v = [given(random, searchable.kind, takes)].flat();
  return {
    a: random.chance(0.5) ? name : [name],
    p,
    v,
    ...(random.chance(0.2) ? { m: 'or' } : {}),
  };
}

const direction = (random: Random) => random.pick(['', ' asc', ' desc', ' DESC', '  desc']);

/** A query of a resource. */
export function query(random: Random, resource: string, levels = 0): Query {
  const found: Query = Object.fromEntries(random.many(0, 3, () => condition(random, resource)));
  if (random.chance(0.15)) found.m = random.pick(['and', 'or']);
  if (levels < 3 && random.chance(0.15)) {
    const groups = random.many(1, 2, () => query(random, resource, levels + 1));
    found.g = random.chance(0.7) ? groups : Object.fromEntries(groups.entries());
  }
  if (random.chance(0.1)) found.c = random.many(1, 2, () => entry(random, resource));
  if (levels === 0 && random.chance(0.3)) {
    const sorts = random.many(1, 3, () => random.pick(attributesOf(resource)).name);
    const written = sorts.map((sort) => sort + direction(random));
    found[random.pick(['s', 'sorts'])] = random.chance(0.4) ? written[0] : written;
  }
  if (random.chance(0.04)) found[text(random, 12)] = value(random, 'text');
  return found;
}

/** A query that is nested, counted or repeated beyond what a search may have. */
export function excessiveQuery(random: Random, resource: string): unknown {
  const inner = query(random, resource, 3);
  return random.among<unknown>([
    [1, () => nest(inner, random.pick([9, 10, 11, 64, 65, 500]))],
    [1, () => ({ g: new Array(random.pick([50, 300, 1001])).fill(inner) })],
    [1, () => ({ c: new Array(random.pick([100, 101, 1001])).fill(entry(random, resource)) })],
    [
      1,
      () => ({ id_in: Array.from({ length: random.pick([1000, 1001, 30_000]) }, (_, at) => at) }),
    ],
    [1, () => ({ s: new Array(random.pick([100, 101])).fill('id desc') })],
    [1, () => random.pick<unknown>([[], 'x', 1, true, [inner], { query: inner }])],
  ]);
}

const nest = (inner: Query, levels: number): Query =>
  levels === 0 ? inner : { id_gt: 0, g: [nest(inner, levels - 1)] };

/** A query as forms write it: `query[full_name_cont]=ana&query[id_in][]=1`. */
export function brackets(value: unknown, name: string): string[] {
  if (Array.isArray(value)) {
    return value.flatMap((inner, at) => brackets(inner, `${name}[${isJson(inner) ? at : ''}]`));
  }
  if (isJson(value)) {
    return Object.entries(value).flatMap(([key, inner]) =>
      brackets(inner, `${name}[${encoded(key)}]`),
    );
  }
  return [`${name}=${encoded(String(value ?? ''))}`];
}

/** A text that UTF-8 cannot have is sent as the bytes that it would be. */
const encoded = (part: string): string =>
  part.isWellFormed()
    ? encodeURIComponent(part)
    : `${encodeURIComponent(part.toWellFormed())}%ED%A0%80`;
