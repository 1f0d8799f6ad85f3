/** What an erasure is about. */
import type { RecordType } from '../../db/sql/shape.ts';
import { keysOf } from '../../lib/object_keys.ts';

/** What belongs to a deal, or to its contact: the kinds, and their tables in the order of their locks. */
export const tables = {
  contact: 'contacts',
  deal: 'deals',
  deal_product: 'deal_products',
  deal_assignee: 'deal_assignees',
  event: 'events',
} as const satisfies Partial<Record<RecordType, string>>;

export type Kind = keyof typeof tables;

export const kinds = keysOf(tables);

/** The tables whose records may be forgotten. */
export const erasable = Object.values(tables);

/** What belongs to a deal. */
export const beneath = [
  'deal_product',
  'deal_assignee',
  'event',
] as const satisfies readonly Kind[];
