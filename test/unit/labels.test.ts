import { expect, test } from '@jest/globals';
import { messageOf } from '../../src/errors/codes.ts';
import { labels } from '../../src/resources/contacts/labels.ts';

function read(value: unknown): { kept: readonly string[] | undefined; told: string[] } {
  const told: string[] = [];
  const kept = labels.read(value, (problem) => told.push(messageOf(problem)));
  return { kept, told };
}

test.each([
  ['', []],
  [' , ,', []],
  ['a', ['a']],
  ['a,b', ['a', 'b']],
  [' a , b ', ['a', 'b']],
  ['"a, b",c', ['a, b', 'c']],
  [' "a, b" , c', ['a, b', 'c']],
  ['"a ""b"" c"', ['a "b" c']],
  ['a "b" c', ['a "b" c']],
  ['"a', ['"a']],
  ['a"', ['a"']],
  ['""', []],
  ['a,A,b,B', ['a', 'b']],
  ['É,é', ['É']],
  [[], []],
  [
    ['a', 'b, c'],
    ['a', 'b, c'],
  ],
  [[' a ', '', 'A'], ['a']],
  [
    [2026, 'vip', '2026', 0],
    ['2026', 'vip', '0'],
  ],
  // Case and form of a letter are ignored; what has no ink is blank.
  [['ΚΩΣΤΑΣ', 'κωστας', 'κωστασ'], ['ΚΩΣΤΑΣ']],
  [['Zoe\u0308', 'Zo\u00eb'], ['Zo\u00eb']],
  [['\u200b', '\u2060\ufe0f', '\u3164', 'a'], ['a']],
])('%j becomes %j', (sent, kept) => {
  expect(read(sent)).toEqual({ kept, told: [] });
});

test.each([
  [5],
  [true],
  [{}],
  [[1.5]],
  [[true]],
  [['a', null]],
  [['x'.repeat(256)]],
  ['x'.repeat(256)],
  [['a\0']],
])('%j is refused', (sent) => {
  const { kept, told } = read(sent);
  expect(kept).toBeUndefined();
  expect(told.length).toBeGreaterThan(0);
});

test('of a thousand names that are blank or come again the labels are kept, and more are not read', () => {
  const names = Array.from({ length: 1000 }, (_, n) => `label ${n % 100}`);
  expect(read(names).kept).toHaveLength(100);
  expect(read(names.join()).kept).toHaveLength(100);
  const tooMany = { kept: undefined, told: ['has more than 100 labels'] };
  expect(read([...names, ''])).toEqual(tooMany);
  expect(read(`${names.join()},label 0`)).toEqual(tooMany);
  expect(read(','.repeat(300_000))).toEqual({
    kept: undefined,
    told: ['is too long (maximum is 65535 characters)'],
  });
});

test('null, an empty text and an empty list clear the list', () => {
  expect(labels.cleared).toEqual({ value: [] });
});

test('a hundred labels are kept, and one more is refused', () => {
  const names = Array.from({ length: 101 }, (_, n) => `label ${n}`);
  expect(read(names.slice(1)).kept).toHaveLength(100);
  expect(read(names)).toEqual({ kept: undefined, told: ['has more than 100 labels'] });
});
