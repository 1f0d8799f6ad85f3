/** Parsing large JSON in parts, which must come to what is parsed in one go. */
import { expect, test } from '@jest/globals';
import { JsonText, stringifyJson } from '../../src/json/json.ts';
import { parseLargeJson, stringifyLargeJson } from '../../src/json/large_json.ts';

const records = (count: number) =>
  Array.from({ length: count }, (_, id) => ({
    id,
    name: `"Ana" \\ ${id}\n`,
    blank: '',
    sure: id % 2 === 0,
    nothing: null,
    price: -1.5e-7 * (id + 1),
    'key "with" quotes': [[], {}, [{ deep: ['\\', '\\\\"'] }]],
    text: '\ud83d\ude00'.repeat(id % 50),
  }));

test.each<[string, unknown]>([
  ['an object', { data: records(3), count: 3 }],
  ['a list', [1, 'two', [3], { four: 4 }, null, true, false]],
  ['empty ones', [{}, [], '', { a: {}, b: [] }]],
  ['more tokens than fit in a part', records(3000)],
  ['texts longer than a part', { a: 'x'.repeat(600_000), b: '"\\'.repeat(200_000), c: 1 }],
])('%s is what JSON.parse makes of it', async (_, value) => {
  expect(await parseLargeJson(JSON.stringify(value))).toEqual(value);
  expect(await parseLargeJson(JSON.stringify(value, null, 1))).toEqual(value);
});

test('others have their turn between two parts', async () => {
  let turns = 0;
  let done = false;
  const count = () => {
    turns += 1;
    if (!done) setImmediate(count);
  };
  count();
  await parseLargeJson(JSON.stringify(records(20_000)));
  done = true;
  expect(turns).toBeGreaterThan(20);
});

test.each<[string, unknown]>([
  ['a page', { data: records(40), pagination: { page: 1, next: null } }],
  ['records within records', { data: { a: { data: [{ id: 1, deals: records(3) }] } } }],
  ['stored JSON', { a: new JsonText('{"n": 1.0}'), list: [new JsonText('[]'), null] }],
  ['empty ones, and what is not there', { a: {}, b: [], c: undefined, 'd "e"': [[], {}] }],
  ['a text', 'alone'],
])('%s is written in parts as in one go', async (_, value) => {
  expect(await stringifyLargeJson(value)).toBe(stringifyJson(value));
});
