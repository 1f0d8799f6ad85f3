/** What can be taken back, and what belongs together then. */
import type { Association, ShapeName } from '../../db/sql/shape.ts';
import { tables } from '../../generated/shapes.ts';
import { keysOf } from '../../lib/object_keys.ts';
import type { UndoRules } from '../kernel/participation.ts';
import { records, type TableIn, tablesIn } from '../records.ts';

export type Kind = (typeof records)[TableIn<'undo'>]['one'];

/** Kinds of records and their tables, each before those that refer to it. */
export const tableOf = Object.fromEntries(
  tablesIn('undo').map((table) => [records[table].one, table]),
) as Readonly<Record<Kind, TableIn<'undo'>>>;

export const kinds = keysOf(tableOf);

/** The kind that a table's records are; undefined where nothing of them can be taken back. */
export const kindOf = (table: ShapeName): Kind | undefined => kindsByTable.get(table);

const kindsByTable = new Map<ShapeName, Kind>(kinds.map((kind) => [tableOf[kind], kind]));

const rulesOf = (kind: Kind): UndoRules => records[tableOf[kind]].takesPart.undo;

/** Where a deal stands among others. */
export const dealPlace: readonly string[] = records.deals.takesPart.undo.place;

/** The fields that a field is put back with: itself unless it has companions, none when it follows from others. */
export function groupOf(kind: Kind, field: string): readonly string[] {
  const { place = [], together = [], derived = [] } = rulesOf(kind);
  if (derived.includes(field)) return [];
  return [place, ...together].find((group) => group.includes(field)) ?? [field];
}

/** A column that names another record, and the table of that. */
export interface Reference {
  readonly column: string;
  readonly to: ShapeName;
}

const references = new Map<Kind, readonly Reference[]>(
  kinds.map((kind) => [
    kind,
    Object.values<Association>(tables[tableOf[kind]].relations).flatMap(({ to, many, on }) =>
      many ? [] : Object.values(on).map((column) => ({ column, to })),
    ),
  ]),
);

/** What records of a kind refer to. */
export const referencesOf = (kind: Kind): readonly Reference[] => references.get(kind) ?? [];

/**
 * Which kinds refer to records of a kind, and by which column: a record can only be removed when
 * none is left.
 */
export const referringTo = (
  kind: Kind,
): readonly { readonly by: Kind; readonly column: string }[] =>
  kinds.flatMap((by) =>
    referencesOf(by).flatMap(({ column, to }) => (to === tableOf[kind] ? { by, column } : [])),
  );
