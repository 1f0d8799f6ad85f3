/** Which key a client may have meant by one that cannot be read. */
import type { ShapeName, Shapes } from '../db/shape.ts';
import { memoize } from '../memoize.ts';
import { longest, nearest } from '../nearest.ts';
import { findAttribute, isFollowed } from './attributes.ts';
import { endingOf, predicates } from './predicates.ts';
import { Unreadable } from './values.ts';

const predicateNames = predicates.map(({ name }) => name);

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
    const meant = nearest(key.slice(at + 1), predicateNames);
    return asked(meant && `${attribute}_${meant}`);
  }
  return '';
}

const asked = (meant: string | undefined): string =>
  meant === undefined ? '' : ` (did you mean ${meant}?)`;
