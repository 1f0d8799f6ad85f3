import { expect, test } from '@jest/globals';
import { asId, readInteger } from '../../src/lib/integer.ts';

const largest = Number.MAX_SAFE_INTEGER;

test.each([
  [7, 7],
  ['7', 7],
  ['-7', -7],
  [0, 0],
  ['0', 0],
  [largest, largest],
  [String(largest), largest],
  [-largest, -largest],
  [largest + 1, Infinity],
  [String(largest + 1), Infinity],
  [`-${largest + 1}`, -Infinity],
  ['9'.repeat(400), Infinity],
  [1e300, Infinity],
  ...['', ' 7', '7 ', '+7', '07', '-0', '7.0', '7e0', '0x7', '٧', 'NaN', 'Infinity'].map(
    (text) => [text, Number.NaN] as const,
  ),
  ...[1.5, Number.NaN, Infinity, true, null, undefined, [7], { 7: 7 }, 7n].map(
    (value) => [value, Number.NaN] as const,
  ),
])('%p is read as %p', (value, integer) => {
  expect(readInteger(value)).toBe(integer);
});

test('an id is a positive integer that can be held exactly', () => {
  expect([1, '1', largest].map(asId)).toEqual([1, 1, largest]);
  expect([0, -1, '0', largest + 1, '9'.repeat(20), 1.5, 'x', null].map(asId)).toEqual(
    Array(8).fill(undefined),
  );
});
