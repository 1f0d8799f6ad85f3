import {
  RestoreContactDocument,
  RestoreDealDocument,
  RestoreDealProductDocument,
  RestoreEventDocument,
  RestoreProductDocument,
} from '../../generated/console.ts';
import { ask } from '../api/ask.ts';

/** What brings back a record of a kind that was deleted, with all that went with it. */
const restoring = {
  contact: (id: number) => ask(RestoreContactDocument, { id }),
  deal: (id: number) => ask(RestoreDealDocument, { id }),
  product: (id: number) => ask(RestoreProductDocument, { id }),
  deal_product: (id: number) => ask(RestoreDealProductDocument, { id }),
  event: (id: number) => ask(RestoreEventDocument, { id }),
} as const satisfies Readonly<Record<string, (id: number) => Promise<unknown>>>;

export type Restorable = keyof typeof restoring;

/** Kinds of records that can come back. */
export const restorable: readonly Restorable[] = [
  'contact',
  'deal',
  'product',
  'deal_product',
  'event',
];

/** @throws {Refusal} what stands in the way */
export const restore = (kind: Restorable, id: number): Promise<unknown> => restoring[kind](id);
