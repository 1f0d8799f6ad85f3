import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { defuse, undefuse } from '../../src/csv/formula.ts';
import { csvRow, listCell } from '../../src/csv/write.ts';
import { messageOf, type Problem } from '../../src/errors/codes.ts';
import { labelsIn } from '../../src/import/labels.ts';
import { labels } from '../../src/resources/contacts/labels.ts';
import { readCsv } from '../kit/csv.ts';

/** Texts of what matters to readers of CSV and to spreadsheets, and of anything else. */
const hostile = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'=+-@\'"\t\r\n ,;|01.aé＝﹢\u00a0\u200b\ufeff') }),
  fc.string({ unit: 'binary' }),
);

describe('defuse', () => {
  test.each([
    ...['=1+1', '+1+1', '-1+cmd', '@SUM(A1)', '\ta', '\ra', '\na', ' =1', '＝1', '＠a'],
    ...['=', '+', '-', '-a', '+55 11 98765-4321', '-1,5', '+1 ', '1'.padStart(3, '-')],
  ])('marks %j', (text) => {
    expect(defuse(text)).toBe(`'${text}`);
    expect(undefuse(`'${text}`)).toBe(text);
  });

  test.each([
    ['a;=1+1', "a;'=1+1"],
    ['a; @SUM(A1)', "a;' @SUM(A1)"],
    ['a\t=1', "a\t'=1"],
    ['a|+1+1', "a|'+1+1"],
    ['a\r\n-1+cmd', "a\r\n'-1+cmd"],
    ['a\n＝1', "a\n'＝1"],
    ['a;"=1"', 'a;\'"=1"'],
    ["a;'=1", "a;''=1"],
    ['=1;=2;3', "'=1;'=2;3"],
    ['-1;+55', "'-1;'+55"],
    ['a;-1|b', "a;'-1|b"],
    ['\t=1', "'\t'=1"],
    ['\r\n=1', "'\r\n'=1"],
    ['\u00a0=1', "'\u00a0=1"],
    ['\u200b\ufeff=1', "'\u200b\ufeff=1"],
    ['a;\u200b@x', "a;'\u200b@x"],
    ['\0﹦1', "'\0﹦1"],
  ])('marks each part of %j', (text, marked) => {
    expect(defuse(text)).toBe(marked);
    expect(undefuse(marked)).toBe(text);
  });

  test.each([
    ...['a;b', '1-1;2=2', 'a; (+1)', "a;'b", '{"a": ";x="}'],
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

  test('leaves no such part to those that divide by semicolons, tabs, bars or line breaks', () => {
    fc.assert(
      fc.property(hostile, (text) =>
        defuse(text)
          .split(/[;|\t\r\n]/)
          .every((part) => /^[+-][0-9.]+$/.test(text) || !/^["\s\u200b]*[=+\-@＝﹢]/.test(part)),
      ),
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

const fail = (problem: Problem) => {
  throw new Error(messageOf(problem));
};

test('a list in a cell is read as labels are', () => {
  const label = fc
    .string({ unit: fc.constantFrom(...'ab,"; é:[1]'), minLength: 1 })
    .filter((text) => text.trim() === text && text !== '');
  const names = fc.uniqueArray(label, { maxLength: 4 });
  fc.assert(
    fc.property(names, (texts) => {
      expect(labels.read(listCell(texts), fail)).toEqual(texts);
      expect(labelsIn(listCell(texts))).toEqual(texts);
    }),
  );
});
