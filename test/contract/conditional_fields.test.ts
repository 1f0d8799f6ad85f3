/** Fields that are selected twice, under conditions, hold in each answer what its own variables ask for. */
import { expect, test } from '@jest/globals';
import { sharedService } from '../kit/service.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);
const deal: { id: number; name: string } = await w.deal();
const attached: { id: number } = (
  await w.rest.post<{ id: number }>('/deal_products', {
    deal_id: deal.id,
    product_id: (await w.product()).id,
  })
).body;

/** Variables of one document, which is run in another way from its third time on. */
const turns = [false, true, true, false, true, false, false, true];

const parameters = 'query ($y: Boolean!, $a: Integer!, $d: Integer!, $p: Integer!)';
const used = 'used: deal_product(account_id: $a, id: $p) { id }';
const own = 'deal(account_id: $a, id: $d)';

/** Documents, and the data of their answers while the condition holds and while it does not. */
const documents: Readonly<Record<string, readonly [string, () => object, () => object]>> = {
  'a root field': [
    `${parameters} { ${own} { id } ${own} @include(if: $y) { name won_at lost_at } ${used} }`,
    () => ({ deal: { id: deal.id, name: deal.name, won_at: null, lost_at: null } }),
    () => ({ deal: { id: deal.id } }),
  ],
  'a root field that is left out once': [
    `${parameters} { ${own} @include(if: $y) { id name } ${own} @skip(if: $y) { id status } ${used} }`,
    () => ({ deal: { id: deal.id, name: deal.name } }),
    () => ({ deal: { id: deal.id, status: 'open' } }),
  ],
  'a root field of a fragment': [
    `${parameters} { ${own} { id } ...More @include(if: $y) ${used} } fragment More on Query { ${own} { name } }`,
    () => ({ deal: { id: deal.id, name: deal.name } }),
    () => ({ deal: { id: deal.id } }),
  ],
  'a relation with inline fragments': [
    `${parameters} { ${own} { id } deal_product(account_id: $a, id: $p) {
      deal @include(if: $y) { ... on Deal { id name } } deal @skip(if: $y) { ... on Deal { id status } }
    } ${used} }`,
    () => ({ deal: { id: deal.id }, deal_product: { deal: { id: deal.id, name: deal.name } } }),
    () => ({ deal: { id: deal.id }, deal_product: { deal: { id: deal.id, status: 'open' } } }),
  ],
  'a relation with a fragment': [
    `${parameters} { ${own} { id } deal_product(account_id: $a, id: $p) { deal { id } deal @include(if: $y) { ...F } }
      ${used} } fragment F on Deal { name status }`,
    () => ({
      deal: { id: deal.id },
      deal_product: { deal: { id: deal.id, name: deal.name, status: 'open' } },
    }),
    () => ({ deal: { id: deal.id }, deal_product: { deal: { id: deal.id } } }),
  ],
  'a fragment that is spread twice': [
    `${parameters} { ${own} { ...F @include(if: $y) id ...F @skip(if: $y) } ${used} } fragment F on Deal { name }`,
    () => ({ deal: { name: deal.name, id: deal.id } }),
    () => ({ deal: { id: deal.id, name: deal.name } }),
  ],
  'a field whose place depends on it': [
    `${parameters} { ${own} { name @skip(if: $y) status name } ${used} }`,
    () => ({ deal: { status: 'open', name: deal.name } }),
    () => ({ deal: { name: deal.name, status: 'open' } }),
  ],
};

test.each(Object.entries(documents))(
  '%s, selected twice, follows the conditions of each call',
  async (_, [query, whole, rest]) => {
    for (const y of turns) {
      const answer = await w.graphql.send(query, {
        y,
        a: w.accountId,
        d: deal.id,
        p: attached.id,
      });
      const data = { ...(y ? whole() : rest()), used: { id: attached.id } };
      // As a text, for the order of fields is part of an answer (GraphQL 2.3).
      expect(answer.text.trim()).toBe(JSON.stringify({ data }));
    }
  },
);
