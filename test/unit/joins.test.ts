import { expect, test } from '@jest/globals';
import { shapes } from '../../src/resources/shapes.ts';
import { followsFrom, Joins } from '../../src/search/joins.ts';

const ofDeals = () => new Joins({ shape: shapes.deals, alias: 'r' }, shapes, 1);
const id = { column: 'id', kind: 'integer' } as const;
const between =
  'LEFT JOIN "deal_products" AS "o1_between" ON "o1_between"."account_id" = ? AND "o1_between"."deal_id" = "r"."id"';
const products =
  'LEFT JOIN "products" AS "o1" ON "o1"."account_id" = ? AND "o1"."id" = "o1_between"."product_id"';

test.each([
  ['the record itself', ['contact'], '"r"."contact_id"', ''],
  ['the table in between', ['products'], '"o1_between"."product_id"', between],
])('%s has the id of what a path leads to, which is not joined', (_, path, value, joined) => {
  const joins = ofDeals();
  expect(joins.valueOf({ path, ...id }).sql).toBe(value);
  expect(joins.sql.sql).toBe(joined);
});

test('rows that another attribute needs are joined once, whichever comes first', () => {
  const name = { path: ['products'], column: 'name', kind: 'text' } as const;
  for (const attributes of [
    [name, { path: ['products'], ...id }],
    [{ path: ['products'], ...id }, name],
  ] as const) {
    const joins = ofDeals();
    for (const attribute of attributes) joins.valueOf(attribute);
    expect(joins.sql.sql).toBe(`${between} ${products}`);
  }
});

test('ids of rows that refer to the record are theirs', () => {
  const joins = ofDeals();
  expect(joins.valueOf({ path: ['events'], ...id }).sql).toBe('"o1"."id"');
  expect(joins.sql.sql).toBe(
    'LEFT JOIN "events" AS "o1" ON "o1"."account_id" = ? AND "o1"."deal_id" = "r"."id"',
  );
});

test.each([
  ['what lies behind it', 'contact_id', ['contact', 'deals'], true],
  ['another way', 'contact_id', ['stage'], false],
  ['the record', 'contact_id', [], false],
  ['a way by a table in between', 'product_id', ['products'], false],
])('an id says which row a path begins with: %s', (_, column, path, follows) => {
  const attribute = { path, column: 'name', kind: 'text' } as const;
  expect(followsFrom(attribute, { ...id, path: [], column }, 'deals', shapes)).toBe(follows);
});

test('an id of another row says nothing of what the record refers to', () => {
  const attribute = { path: ['contact'], column: 'full_name', kind: 'text' } as const;
  for (const one of [undefined, { ...id, path: ['events'], column: 'contact_id' }]) {
    expect(followsFrom(attribute, one, 'deals', shapes)).toBe(false);
  }
});
