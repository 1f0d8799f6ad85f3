/** What deals cost in all, once products of theirs go or get other prices. */

import type { Portions } from '../../lib/portions.ts';
import { largest } from '../kernel/fields/fields.ts';
import type { Draft } from './draft.ts';

/** Reckons totals anew, and leaves as they are products of a deal whose total would be too large. */
export async function addTotals(draft: Draft, portions: Portions): Promise<void> {
  const lists = new Map([...draft.contents.products].map(([deal, ids]) => [deal, [...ids]]));
  for (const deal of draft.revived.get('deal')?.keys() ?? []) lists.set(deal, []);
  for (const [id, row] of draft.revived.get('deal_product') ?? []) {
    lists.get(Number(row.get('deal_id')))?.push(id);
  }
  await portions.each(lists, ([deal, products]) => {
    if (draft.isRemoved('deal', deal) || !draft.row('deal', deal)) return;
    const lines = () =>
      products
        .filter((id) => draft.row('deal_product', id) && !draft.isRemoved('deal_product', id))
        .map((id) => [id, totalOf(draft, id)] as const);
    const isTooLarge = lines().reduce((sum, [, amount]) => sum + amount, 0n) > BigInt(largest);
    if (isTooLarge) keepLines(draft, products);
    for (const [id, amount] of lines()) {
      draft.restore('deal_product', id, 'total_amount_in_cents', String(amount));
    }
    const total = lines().reduce((sum, [, amount]) => sum + amount, 0n);
    draft.restore('deal', deal, 'total_deal_products_amount_in_cents', String(total));
  });
}

const amounts = ['quantity', 'unit_amount_in_cents'] as const;

function totalOf(draft: Draft, id: number): bigint {
  const [quantity, unit] = amounts.map((field) =>
    BigInt(draft.value('deal_product', id, field) ?? 0),
  );
  return (quantity ?? 0n) * (unit ?? 0n);
}

function keepLines(draft: Draft, products: readonly number[]): void {
  for (const id of products) {
    if (draft.revived.get('deal_product')?.delete(id)) {
      draft.refuse('deal_product', id, 'too_large');
      continue;
    }
    const after = draft.restored.get('deal_product')?.get(id)?.after;
    const fields = amounts.filter((field) => after?.has(field));
    if (fields.length === 0) continue;
    for (const field of fields) draft.keep('deal_product', id, field);
    draft.refuse('deal_product', id, 'too_large', fields);
  }
}
