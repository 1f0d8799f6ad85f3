import type { Shape, ShapeName, Shapes } from '../db/sql/shape.ts';
import { associationOf } from './associations.ts';
import type { Attribute, Group, Search } from './search.ts';

/** The kinds of records behind associations that a search looks at, be it only to sort by them. */
export function touchedBy({ shape, where, sorts }: Search, shapes: Shapes): ReadonlySet<ShapeName> {
  const touched = new Set<ShapeName>();
  const follow = ({ path }: Attribute): void => {
    let from: Shape = shapes[shape];
    for (const step of path) {
      const { to, through } = associationOf(from, step);
      if (through) touched.add(through.table);
      touched.add(to);
      from = shapes[to];
    }
  };
  const look = ({ conditions, groups }: Group): void => {
    for (const { attributes } of conditions) attributes.forEach(follow);
    groups.forEach(look);
  };
  look(where);
  for (const { attribute } of sorts) follow(attribute);
  return touched;
}
