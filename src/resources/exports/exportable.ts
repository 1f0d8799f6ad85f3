/** What can be exported, and in which forms. */
import type { ShapeName } from '../../db/sql/shape.ts';

/** Kinds of records, each by the name of the root field that searches it, too. */
export const exportable = [
  'contacts',
  'deals',
  'products',
  'deal_products',
  'events',
  'users',
] as const satisfies readonly ShapeName[];

/** The first is the default. */
export const formats = ['ndjson', 'csv'] as const;

export type FormatName = (typeof formats)[number];
