/** Parsing large JSON in parts, which must come to what is parsed in one go. */
import { expect, test } from '@jest/globals';
import { parseLargeJson } from '../../src/large_json.ts';

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
