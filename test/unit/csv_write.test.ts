import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { defuse, undefuse } from '../../src/csv/formula.ts';
import { csvRow, listCell } from '../../src/csv/write.ts';
import { labels } from '../../src/resources/contacts/labels.ts';
import { readCsv } from '../kit/csv.ts';

/** Texts of what matters to readers of CSV and to spreadsheets, and of anything else. */
const hostile = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'=+-@\'"\t\r\n ,;01.aé＝') }),
  fc.string({ unit: 'binary' }),
);

describe('defuse', () => {
  test.each([
    ...['=1+1', '+1+1', '-1+cmd', '@SUM(A1)', '\t=1', '\r=1', '\n=1', ' =1', '＝1', '＠a'],
    ...['=', '+', '-', '-a', '+55 11 98765-4321', '-1,5', '+1 ', '1'.padStart(3, '-')],
  ])('marks %j', (text) => {
    expect(defuse(text)).toBe(`'${text}`);
    expect(undefuse(`'${text}`)).toBe(text);
  });

  test.each([
    ...['', 'a', '1', '-1', '+1', '-1.5', '+5511987654321', '1=1', 'a@example.com'],
    ...['{"a":"=1"}', "'", "'a", ' a', '(+1)'],
  ])('leaves %j as it is', (text) => {
    expect(defuse(text)).toBe(text);
    expect(undefuse(text)).toBe(text);
  });

  test('leaves no text that begins as a formula does, but for numbers', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const left = defuse(text);
        return /^[+-][0-9.]+$/.test(left) || !/^(\s*[=+\-@]|[\t\r])/.test(left);
      }),
    );
  });

  test('can always be undone', () => {
    fc.assert(fc.property(hostile, (text) => undefuse(defuse(text)) === text));
  });
});

describe('csvRow', () => {
  test('writes texts, numbers, booleans and nothing', () => {
    expect(csvRow(['a', 1, -2, true, null, undefined, ''])).toBe('a,1,-2,true,,,\r\n');
  });

  test.each([
    ['a,b', '"a,b"'],
    ['a;b', '"a;b"'],
    ['a\tb', '"a\tb"'],
    ['a "b"', '"a ""b"""'],
    ['a\r\nb', '"a\r\nb"'],
    [' a', '" a"'],
    ['=1,2', '"\'=1,2"'],
    ['-12', '-12'],
  ])('writes %j as %j', (text, cell) => {
    expect(csvRow([text])).toBe(`${cell}\r\n`);
  });

  test('is read by others as it was meant', () => {
    const rows = fc.array(fc.array(hostile, { minLength: 2, maxLength: 2 }), { minLength: 1 });
    fc.assert(
      fc.property(rows, (cells) => {
        const read = readCsv(cells.map(csvRow).join(''));
        expect(read.map((row) => row.map(undefuse))).toEqual(cells);
      }),
    );
  });
});

const fail = (message: string) => {
  throw new Error(message);
};

test('a list in a cell is read as labels are', () => {
  const label = fc
    .string({ unit: fc.constantFrom(...'ab,"; é'), minLength: 1 })
    .filter((text) => text.trim() === text && text !== '');
  const names = fc.uniqueArray(label, { maxLength: 4 });
  fc.assert(
    fc.property(names, (texts) => {
      expect(labels.read(listCell(texts), fail)).toEqual(texts);
    }),
  );
});
