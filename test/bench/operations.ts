/** All that is measured, in the order in which it is. */
import { changesOperations } from './operations/changes.ts';
import { consoleOperations } from './operations/console.ts';
import { contactReads, contactWrites } from './operations/contacts.ts';
import { dealProductWrites } from './operations/deal_products.ts';
import { dealReads, dealWrites } from './operations/deals.ts';
import type { Operation } from './operations/operation.ts';
import { summaryOperations } from './operations/summaries.ts';
import { variantsOf } from './operations/variants.ts';
import { type Seed, seedOf } from './seed.ts';

/**
 * Reads come first: of what writes attach to a deal some of them show all.
 * @param seed what the database was filled with
 */
export const operationsOn = (seed: Seed): readonly Operation[] => [
  ...contactReads(seed),
  ...dealReads(seed),
  ...consoleOperations,
  ...changesOperations,
  ...contactWrites(seed),
  ...dealWrites(seed),
  ...dealProductWrites(seed),
  ...summaryOperations,
];

/**
 * @param contacts how many the database was filled with
 * @throws when there is none of this name
 */
export function operationNamed(name: string, contacts: number): Operation {
  const operations = operationsOn(seedOf(contacts));
  const all = [...operations, ...variantsOf(operations).map(([variant]) => variant)];
  const found = all.find((one) => one.name === name);
  if (found) return found;
  throw new Error(
    `there is no operation '${name}' among ${all.map(({ name }) => name).join(', ')}`,
  );
}
