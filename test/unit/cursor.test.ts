import { expect, test } from '@jest/globals';
import {
  type Cursor,
  maxSeen,
  readCursor,
  writeCursor,
} from '../../src/resources/changes/cursor.ts';

const incarnation = '0123456789ab';
const largest = { order: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER };

const encoded = (text: string): string => Buffer.from(text, 'latin1').toString('base64url');

test.each<readonly [string, Cursor]>([
  ['of the beginning', { incarnation, order: 0, id: 0, seen: [] }],
  ['of a change', { incarnation, order: 4711, id: 36, seen: [{ order: 4712, id: 30 }] }],
  [
    'with all the changes that one can name',
    { incarnation, ...largest, seen: Array.from({ length: maxSeen }, () => largest) },
  ],
])('a cursor %s is read as it was written', (_, cursor) => {
  expect(readCursor(writeCursor(cursor))).toEqual(cursor);
});

test.each([
  ['nothing', ''],
  ['no number', '0123456789ab'],
  ['an odd count of numbers', '0123456789ab.1.2.3'],
  ['a dot at the end', '0123456789ab.1.2.'],
  ['a sign', '0123456789ab.-1.2'],
  ['a zero before a number', '0123456789ab.01.2'],
  ['large letters', '0123456789ab.A.2'],
  ['a number that bigint does not hold', `0123456789ab.1${'0'.repeat(24)}.2`],
  ['another incarnation than a database has', '0123456789a.1.2'],
])('a text with %s is none', (_, text) => {
  expect(readCursor(encoded(text))).toBeUndefined();
});

test('a text of the same bytes that is written otherwise is none', () => {
  expect(readCursor(`${writeCursor({ incarnation, order: 1, id: 2, seen: [] })}=`)).toBeUndefined();
});

test('a forged cursor is refused at once, however its numbers run into each other', () => {
  const began = performance.now();
  expect(readCursor(encoded(`${incarnation}.${'aaaaaaaaaaa.'.repeat(30)}!`))).toBeUndefined();
  expect(performance.now() - began).toBeLessThan(1000);
});
