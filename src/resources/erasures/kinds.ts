/** What an erasure is about. */
import { keysOf } from '../../lib/object_keys.ts';
import { records, type TableIn, tablesIn } from '../records.ts';

export type Kind = (typeof records)[TableIn<'erasure'>]['one'];

/** What belongs to a deal, or to its contact: the kinds, and their tables in the order of their locks. */
export const tables = Object.fromEntries(
  tablesIn('erasure').map((table) => [records[table].one, table]),
) as Readonly<Record<Kind, TableIn<'erasure'>>>;

export const kinds = keysOf(tables);

/** The tables whose records may be forgotten. */
export const erasable = Object.values(tables);

/** What belongs to a deal. */
export const dealChildren = [
  'deal_product',
  'deal_assignee',
  'event',
] as const satisfies readonly Kind[];
