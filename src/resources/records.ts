/** The records of the CRM, and which of them take part in what. */
import { keysOf } from '../lib/object_keys.ts';
import { contacts } from './contacts/record.ts';
import { deal_assignees } from './deal_assignees/record.ts';
import { deal_products } from './deal_products/record.ts';
import { deals } from './deals/record.ts';
import { events } from './events/record.ts';
import type { Participation } from './kernel/participation.ts';
import { pipelines } from './pipelines/record.ts';
import { products } from './products/record.ts';
import { stages } from './stages/record.ts';
import { users } from './users/record.ts';

/** Each kind before those that refer to it. */
export const records = {
  contacts,
  products,
  pipelines,
  stages,
  deals,
  deal_products,
  deal_assignees,
  events,
  users,
} as const;

type Records = typeof records;

/** The tables of the kinds that take part in something. */
export type TableIn<P extends keyof Participation> = {
  [T in keyof Records]: P extends keyof Records[T]['takesPart'] ? T : never;
}[keyof Records];

export const tablesIn = <P extends keyof Participation>(what: P): readonly TableIn<P>[] =>
  keysOf(records).filter((table): table is TableIn<P> => what in records[table].takesPart);
