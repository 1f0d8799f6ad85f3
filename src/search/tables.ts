import type { Shape, ShapeName, Shapes } from '../db/sql/shape.ts';
import { associationOf } from './associations.ts';
import type { Attribute, Group, Search } from './search.ts';

/** The kinds of records besides its own that a search looks at, be it only to sort by them. */
export function tablesOf({ shape, where, sorts }: Search, shapes: Shapes): ReadonlySet<ShapeName> {
  const attributes: Attribute[] = sorts.map(({ attribute }) => attribute);
  const look = ({ conditions, groups }: Group): void => {
    for (const { attributes: these } of conditions) attributes.push(...these);
    groups.forEach(look);
  };
  look(where);
  return tablesOfAttributes(attributes, shape, shapes);
}

/** The same of attributes of records of a shape. */
export function tablesOfAttributes(
  attributes: readonly Attribute[],
  shape: ShapeName,
  shapes: Shapes,
): ReadonlySet<ShapeName> {
  const touched = new Set<ShapeName>();
  for (const { path, column } of attributes) {
    let from: Shape = shapes[shape];
    for (const step of path) {
      const { to, through } = associationOf(from, step);
      if (through) touched.add(through.table);
      touched.add(to);
      from = shapes[to];
    }
    for (const other of from.derived?.[column]?.from ?? []) touched.add(other);
  }
  return touched;
}
