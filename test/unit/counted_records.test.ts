import { expect, test } from '@jest/globals';
import type { Relation, Selection } from '../../src/db/sql/shape.ts';
import { capped, recordsIn } from '../../src/graphql/guard/records.ts';
import { JsonText } from '../../src/json/json.ts';

const names: Selection = { fields: ['name'], relations: [] };

/** Records with a list of others beneath, which an answer shows under another name. */
function selected(others: Relation): Selection {
  return {
    fields: [],
    relations: [others],
    shown: [{ as: 'own', field: 'deals', relation: others }],
  };
}

const plain: Relation = { key: '@own', association: 'deals', selection: names };

/** One record with as many others beneath, each with an object that is none. */
const textOf = (others: number) =>
  JSON.stringify({ own: Array.from({ length: others }, () => ({ custom_attributes: {} })) });

const counted = (text: string, others: Relation) =>
  recordsIn({ data: new JsonText(text) }, [{ path: ['data'], selection: selected(others) }]);

test('few objects in a text that is shown are counted as they stand there', async () => {
  expect(await counted(textOf(4000), plain)).toBe(8001);
});

test('of a text with more objects than may be resolved only the records are counted', async () => {
  expect(await counted(textOf(9000), plain)).toBe(9000);
  expect(await counted(`[${textOf(6000)},${textOf(6000)}]`, plain)).toBe(12_000);
});

test('a list without a limit is refused where the text of it is too long for what is beneath', async () => {
  const beneath: Relation = { key: 'events', association: 'events', limit: 9, selection: names };
  const others = capped(
    { ...plain, selection: { ...names, relations: [beneath] } },
    'Contact.deals',
  );
  expect(await counted(textOf(1000), others)).toBe(1000);
  await expect(counted(textOf(1001), others)).rejects.toThrow(
    'Contact.deals has more than 1000 records: give it a limit, and an offset',
  );
});
