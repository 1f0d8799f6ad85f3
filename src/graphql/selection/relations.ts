/** Which fields of the schema lead from record to record, and what lists of records may be told. */
import type { ShapeName } from '../../db/sql/shape.ts';
import type { Faults } from '../../errors/errors.ts';
import { readInteger } from '../../lib/integer.ts';
import { shapes } from '../../resources/shapes.ts';
import { aggregates } from '../../search/measures.ts';

/** How many records a list inside a list holds: by default, and at most. */
export const nestedList = { default: 10, max: 100 } as const;

/** Kinds of records by GraphQL type. */
export const typeShapes: Readonly<Record<string, ShapeName>> = Object.fromEntries(
  Object.values(shapes).map(({ type, table }) => [type, table]),
);

/**
 * The key under which a record holds a relation: the field's name or, for an alias, a key that no
 * field has.
 */
export const relationKey = (field: string, responseName: string): string =>
  field === responseName ? field : `@${responseName}`;

/** Whether a GraphQL type is a kind of record. */
export const isRecord = (type: string): boolean => typeShapes[type] !== undefined;

/** Whether a field of a GraphQL type leads to other records. */
export function isRelation(type: string, field: string): boolean {
  const shape = typeShapes[type];
  return shape !== undefined && shapes[shape].associations[field] !== undefined;
}

/** The GraphQL types of the other records that a field of a type follows from. */
export function sourcesOf(type: string, field: string): readonly string[] {
  const shape = typeShapes[type];
  const { from = [] } = (shape && shapes[shape].derived?.[field]) ?? {};
  return from.map((table) => shapes[table].type);
}

const countOf = '_count';

/** The list whose records a field of a GraphQL type counts, such as the `deals` of `deals_count`. */
export function countedBy(type: string, field: string): string | undefined {
  if (!field.endsWith(countOf)) return undefined;
  const list = field.slice(0, -countOf.length);
  return isRelation(type, list) ? list : undefined;
}

/** Fields of a type whose values depend on their arguments. */
const chosen: Readonly<Record<string, ReadonlySet<string>>> = {
  SummaryGroup: new Set(Object.keys(aggregates)),
};

/** The key under which an object of a GraphQL type holds a field that is selected under a name. */
export const keyOf = (type: string, field: string, responseName: string): string =>
  isRelation(type, field) || countedBy(type, field) !== undefined || chosen[type]?.has(field)
    ? relationKey(field, responseName)
    : field;

/**
 * Reads a limit or an offset.
 * @returns undefined where none is given
 */
export function readBound(
  value: unknown,
  name: string,
  limit: number,
  faults: Faults,
): number | undefined {
  if (value === undefined || value === null) return undefined;
  const number = readInteger(value);
  if (number >= 0 && number <= limit) return number;
  faults.add(name, `must be an integer from 0 to ${limit}`);
  return undefined;
}
