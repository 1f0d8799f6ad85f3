/** What all records of an account must be together: places without gaps, totals that are sums. */
import type { Json } from './pool.ts';

/** Records by the singular of their resource. */
export type Records = ReadonlyMap<string, readonly Json[]>;

/** @returns what does not fit, each a reason with an instance of it */
export const disorderIn = (records: Records): [reason: string, told: string][] => [
  ...misplaced(records, 'deal', 'stage_id'),
  ...misplaced(records, 'stage', 'pipeline_id'),
  ...miscounted(records),
];

function misplaced(records: Records, type: string, parent: string): [string, string][] {
  return [...grouped(records.get(type) ?? [], parent)].flatMap(([id, some]): [string, string][] => {
    const places = some.map(({ position }) => Number(position)).sort((a, b) => a - b);
    return places.every((place, at) => place === at + 1)
      ? []
      : [[`places of ${type}s are not 1 to n`, `${parent} ${String(id)}: ${places.join(' ')}`]];
  });
}

function miscounted(records: Records): [string, string][] {
  const attached = grouped(records.get('deal_product') ?? [], 'deal_id');
  return (records.get('deal') ?? []).flatMap((deal): [string, string][] => {
    const some = attached.get(deal.id) ?? [];
    const sum = some.reduce((all, { total_amount_in_cents: one }) => all + Number(one), 0);
    return sum === deal.total_deal_products_amount_in_cents
      ? []
      : [['a total is not the sum of its products', `${JSON.stringify(deal)} should be ${sum}`]];
  });
}

function grouped(records: readonly Json[], by: string): Map<unknown, Json[]> {
  const groups = new Map<unknown, Json[]>();
  for (const record of records) groups.set(record[by], [...(groups.get(record[by]) ?? []), record]);
  return groups;
}
