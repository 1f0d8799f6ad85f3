import { expect, test } from '@jest/globals';
import { labels } from '../../src/resources/contacts/labels.ts';

function read(value: unknown): { kept: readonly string[] | undefined; told: string[] } {
  const told: string[] = [];
  const kept = labels.read(value, (message) => told.push(message));
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
])('%j becomes %j', (sent, kept) => {
  expect(read(sent)).toEqual({ kept, told: [] });
});

test.each([
  [5],
  [true],
  [{}],
  [[1]],
  [['a', null]],
  [['x'.repeat(256)]],
  ['x'.repeat(256)],
  [['a\0']],
])('%j is refused', (sent) => {
  const { kept, told } = read(sent);
  expect(kept).toBeUndefined();
  expect(told.length).toBeGreaterThan(0);
});

test('null, an empty text and an empty list clear the list', () => {
  expect(labels.cleared).toEqual({ value: [] });
});

test('a hundred labels are kept, and one more is refused', () => {
  const names = Array.from({ length: 101 }, (_, n) => `label ${n}`);
  expect(read(names.slice(1)).kept).toHaveLength(100);
  expect(read(names)).toEqual({ kept: undefined, told: ['has more than 100 labels'] });
});
