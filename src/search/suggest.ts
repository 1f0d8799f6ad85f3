/** Which key a client may have meant by one that cannot be read. */
import type { ShapeName, Shapes } from '../db/sql/shape.ts';
import { longest, nearest } from '../errors/did_you_mean.ts';
import { memoize } from '../lib/memoize.ts';
import { findAttribute, isFollowed } from './attributes.ts';
import { endingOf, predicates } from './predicates.ts';
import { Unreadable } from './values.ts';

const predicateNames = predicates.map(({ name }) => name);

/** What other query languages call predicates, by our names. */
const elsewhere: readonly (readonly [ours: string, theirs: string])[] = [
  ['eq', 'is equals equal_to exact iexact'],
  ['not_eq', 'ne neq isnt is_not not not_equal not_equals'],
  ['cont', 'contains like includes has search'],
  ['i_cont', 'ilike icontains'],
  ['not_cont', 'not_like not_contains excludes'],
  ['matches', 'regex regexp'],
  ['start', 'starts_with startswith begins_with prefix istartswith'],
  ['end', 'ends_with endswith suffix iendswith'],
  ['gt', 'after greater_than more_than above'],
  ['gteq', 'gte ge min from since at_least between'],
  ['lt', 'before less_than below'],
  ['lteq', 'lte le max to until at_most'],
  ['in', 'any one_of is_any_of'],
  ['not_in', 'nin not_any none_of notin'],
  ['null', 'is_null isnull is_nil'],
  ['not_null', 'is_not_null notnull isnotnull not_nil'],
  ['present', 'exists is_present not_blank not_empty isset'],
  ['blank', 'empty is_empty is_blank'],
];
const ours: ReadonlyMap<string, string> = new Map(
  elsewhere.flatMap(([name, theirs]) => theirs.split(' ').map((their) => [their, name] as const)),
);

/** Our name of a predicate that is called otherwise elsewhere, `_any` and `_all` included. */
function ownNameOf(predicate: string): string | undefined {
  const whole = ours.get(predicate);
  if (whole !== undefined) return whole;
  const end = predicate.slice(-4);
  if (end !== '_any' && end !== '_all') return undefined;
  const name = ours.get(predicate.slice(0, -4));
  return name !== undefined && predicateNames.includes(`${name}${end}`)
    ? `${name}${end}`
    : undefined;
}

const known = memoize((_: Shapes) => new Map<ShapeName, readonly string[]>());

/** The names of a record's attributes, its own before those that are one association away. */
function namesOf(shapeName: ShapeName, shapes: Shapes): readonly string[] {
  const names = known(shapes).get(shapeName);
  if (names) return names;
  const { searchable, associations } = shapes[shapeName];
  const behind = Object.entries(associations).flatMap(([step, way]) =>
    isFollowed(way, true) ? shapes[way.to].searchable.map((name) => `${step}_${name}`) : [],
  );
  const found = [...searchable, ...behind];
  known(shapes).set(shapeName, found);
  return found;
}

/** ` (did you mean full_name?)` for the name of no attribute, or nothing. */
export const attributeMeant = (name: string, shapeName: ShapeName, shapes: Shapes): string =>
  asked(nearest(name, namesOf(shapeName, shapes)));

/** ` (did you mean full_name_cont?)` for an invalid key, or nothing. */
export function keyMeant(key: string, shapeName: ShapeName, shapes: Shapes): string {
  if (key.length > longest) return '';
  const isAttribute = (name: string) =>
    !(findAttribute(name, shapeName, shapes) instanceof Unreadable);
  if (isAttribute(key)) return asked(`${key}_eq`);
  const ending = endingOf(key);
  if (ending) {
    const meant = nearest(ending.rest, namesOf(shapeName, shapes));
    return asked(meant && `${meant}_${ending.predicate.name}`);
  }
  for (let at = key.lastIndexOf('_'); at > 0; at = key.lastIndexOf('_', at - 1)) {
    const attribute = key.slice(0, at);
    if (!isAttribute(attribute)) continue;
    const predicate = key.slice(at + 1);
    const meant = ownNameOf(predicate) ?? nearest(predicate, predicateNames);
    return asked(meant && `${attribute}_${meant}`);
  }
  return '';
}

const asked = (meant: string | undefined): string =>
  meant === undefined ? '' : ` (did you mean ${meant}?)`;
