/** A column that is declared is written, audited and read back, or does not compile. */
import { expect, test } from '@jest/globals';
import { operating } from '../../src/context/context.ts';
import type { ShapeName } from '../../src/db/sql/shape.ts';
import { tables } from '../../src/generated/shapes.ts';
import { removalOf } from '../../src/resources/audit/entry.ts';
import { attributes } from '../../src/resources/kernel/fields/attributes.ts';
import { flag, text } from '../../src/resources/kernel/fields/fields.ts';
import { resource, unstored, withDefaults } from '../../src/resources/kernel/resource.ts';
import { insertion } from '../../src/resources/kernel/write/insert.ts';
import { snapshot } from '../../src/resources/kernel/write/update_after_read.ts';
import { products } from '../../src/resources/products/record.ts';
import { shapes } from '../../src/resources/shapes.ts';
import { stages } from '../../src/resources/stages/record.ts';

const searchable = ['id'];
const more = resource('products', {
  fields: { ...products.fields, additional_attributes: attributes, sold: unstored(flag) },
  searchable,
  takesPart: {},
});
const db = { query: () => Promise.reject(new Error('nothing is asked')) };
const ctx = operating({ db, now: new Date(0), requestId: 'r' }, 1);
const values = withDefaults(more, { name: 'Chair', additional_attributes: '{"a":1}', sold: true });

test('a field more is in the INSERT, with its value and its type', () => {
  const { text: written, values: sent } = insertion(more)(ctx, values);
  expect(written).toMatch(/"custom_attributes", "additional_attributes", "created_at"/);
  expect(written).toMatch(/\$7::json, \$8::json, clock, clock FROM/);
  expect(sent).toEqual([1, '', 'Chair', '', 0, 0, '{}', '{"a":1}']);
});

test('a field more is read before a change, and told of what is gone', () => {
  expect(snapshot(more, 'r').columns.text).toMatch(/"r"."additional_attributes"::text$/);
  expect(removalOf(more, 'gone').text).toMatch(
    /"additional_attributes":%s}', .*, "gone".additional_attributes\)::json/,
  );
});

test('a field that is not stored as it is stays out of what is written', () => {
  expect(Object.keys(values)).not.toContain('sold');
});

test('what cannot be left out has to be refused before it is written', () => {
  expect(() => withDefaults(stages, {})).toThrow('a stage without name was not refused');
});

test('a field of a name that no column has does not compile', () => {
  // @ts-expect-error products have no colour
  resource('products', { fields: { colour: text() }, searchable, takesPart: {} });
});

test('an association that no relation stands for is refused at the start', () => {
  expect(() =>
    resource('products', { fields: {}, searchable, takesPart: {}, followed: ['stage'] }),
  ).toThrow('products has no stage');
});

test.each(Object.keys(tables) as ShapeName[])('what may be searched of %s is there', (table) => {
  const { columns, computed, derived, searchable: named, foundBy = [] } = shapes[table];
  const known = Object.keys({ ...columns, ...computed, ...derived });
  expect(known).toEqual(expect.arrayContaining([...named, ...foundBy]));
});

test('a relation by a key of several columns is followed by the id, within the account', () => {
  expect(shapes.deals.associations.stage).toEqual({
    to: 'stages',
    many: false,
    on: { id: 'stage_id' },
    searchable: true,
  });
  expect(shapes.stages.associations.deals).toEqual({
    to: 'deals',
    many: true,
    on: { stage_id: 'id' },
    searchable: false,
    order: ['position'],
  });
});
