/** Resolving names of attributes against what the resources allow. */
import {
  type Association,
  kindOf,
  type Shape,
  type ShapeName,
  type Shapes,
} from '../db/sql/shape.ts';
import { type Attribute, limits } from './search.ts';
import { storable, Unreadable } from './values.ts';

/** How far a path beyond the limit is still followed, so as to report that it is too long. */
const furthest = 8;

export const notSearchable = 'is not a searchable attribute';

/**
 * Finds the attribute with a name: a column of the record, a key of a free-form object
 * (`custom_attributes.city`), or either of them behind associations (`contact_email`). Columns take
 * precedence over associations, and longer names of associations over shorter ones.
 */
export function findAttribute(
  name: string,
  shapeName: ShapeName,
  shapes: Shapes,
): Attribute | Unreadable {
  const unknown = new Unreadable(notSearchable, 'unknown_attribute');
  const found = find(name, shapes[shapeName], shapes, []) ?? unknown;
  if (found instanceof Unreadable) return found;
  if (found.path.length > limits.steps) {
    return new Unreadable(`follows more than ${limits.steps} associations`);
  }
  const key = storable(found.key ?? '');
  return key instanceof Unreadable ? key : found;
}

function find(
  name: string,
  shape: Shape,
  shapes: Shapes,
  path: readonly string[],
): Attribute | Unreadable | undefined {
  const own = ownAttribute(name, shape, path);
  if (own || path.length === furthest) return own;
  const associations = Object.entries(shape.associations)
    .filter(([step, way]) => isFollowed(way, path.length === 0) && name.startsWith(`${step}_`))
    .sort(([one], [other]) => other.length - one.length);
  for (const [step, { to }] of associations) {
    const found = find(name.slice(step.length + 1), shapes[to], shapes, [...path, step]);
    if (found) return found;
  }
  return undefined;
}

/** @param isFirst whether it leads away from the record that is searched */
export const isFollowed = ({ searchable }: Association, isFirst: boolean): boolean =>
  searchable === true || (isFirst && searchable === 'first');

function ownAttribute(
  name: string,
  shape: Shape,
  path: readonly string[],
): Attribute | Unreadable | undefined {
  const dot = name.indexOf('.');
  const named = dot < 0 ? name : name.slice(0, dot);
  const { aliases = {} } = shape;
  const column = Object.hasOwn(aliases, named) ? (aliases[named] ?? named) : named;
  const kind = shape.searchable.includes(column) ? kindOf(shape, column) : undefined;
  if (kind === undefined) return undefined;
  if (kind !== 'json') return dot < 0 ? { path, column, kind } : undefined;
  const key = name.slice(column.length + 1);
  if (key !== '') return { path, column, kind: 'text', key };
  return new Unreadable(`is searched by key: ${column}.<key>_<predicate>`);
}

/** Attributes that share a predicate, which must hold of all or of `any` of them. */
export interface AttributeGroup {
  readonly attributes: readonly Attribute[];
  readonly any: boolean;
}

/**
 * Finds the attributes of a key: one, or several combined by `_or_` or `_and_`. These may also be
 * part of a free-form key, which they are when no attribute follows.
 */
export function findAttributes(
  names: string,
  shapeName: ShapeName,
  shapes: Shapes,
): AttributeGroup | Unreadable {
  const whole = findAttribute(names, shapeName, shapes);
  const pieces = names.split(/_(or|and)_/);
  if (whole instanceof Unreadable && pieces.length === 1) return whole;
  if (!(whole instanceof Unreadable) && (whole.key === undefined || pieces.length === 1)) {
    return { attributes: [whole], any: false };
  }
  const connectives = new Set<string>();
  const parts: { start: number; end: number; free: boolean }[] = [];
  let start = 0;
  for (let index = 0; index < pieces.length; index += 2) {
    const connective = pieces[index - 1];
    const piece = pieces[index] ?? '';
    if (connective !== undefined) start += connective.length + 2;
    const end = start + piece.length;
    const found = findAttribute(piece, shapeName, shapes);
    const before = parts.at(-1);
    if (!(found instanceof Unreadable)) {
      if (connective !== undefined) connectives.add(connective);
      parts.push({ start, end, free: found.key !== undefined });
    } else if (before?.free) before.end = end;
    else return new Unreadable(`"${piece}" ${found.message}`, found.code);
    if (parts.length > limits.conditions) break;
    start = end;
  }
  if (connectives.size > 1) return new Unreadable('joins attributes with both _or_ and _and_');
  const found = parts.map(({ start, end }) =>
    findAttribute(names.slice(start, end), shapeName, shapes),
  );
  return combined(found, connectives.has('or'));
}

/** Combines attributes, when all were found and can share a predicate. */
export function combined(
  found: readonly (Attribute | Unreadable)[],
  any: boolean,
): AttributeGroup | Unreadable {
  const attributes: Attribute[] = [];
  for (const attribute of found) {
    if (attribute instanceof Unreadable) return attribute;
    attributes.push(attribute);
  }
  if (attributes.length > 1 && attributes.some(({ kind }) => kind === 'labels')) {
    return new Unreadable('joins labels with other attributes');
  }
  return { attributes, any };
}
