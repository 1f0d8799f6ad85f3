import { describe, expect, test } from '@jest/globals';
import { cellOf } from '../../src/import/cells.ts';
import { draftOf } from '../../src/import/draft.ts';
import { columnsOf } from '../../src/import/mapping.ts';

const json = { parse: (text: string): unknown => JSON.parse(text), stringify: JSON.stringify };

const ambiguous = { fault: 'may be thousands or decimals: write 1234.00 or 1.23' };
const wrong = { fault: 'must be an amount such as 1234.56' };

describe('amounts', () => {
  test.each([
    ['1234', '123400'],
    ['1234.5', '123450'],
    ['1,234.56', '123456'],
    ['1.234,56', '123456'],
    ['R$ 1.234,56', '123456'],
    ['12,50 €', '1250'],
    ['USD 0.99', '99'],
    ["1'234.50", '123450'],
    ['1 234,50', '123450'],
    ['1.234.567', '123456700'],
    ['-3', '-300'],
    ['90071992547409.91', '9007199254740991'],
    ['1.234', ambiguous],
    ['12,345', ambiguous],
    ['1.23.4', wrong],
    ['1,234,56', wrong],
    ['12.345.6', wrong],
    ['1.2345', wrong],
    ['free', wrong],
    ['', wrong],
  ])('%s', (text, read) => {
    expect(cellOf('amount', text, json)).toEqual(typeof read === 'string' ? { value: read } : read);
  });
});

describe('moments', () => {
  test.each([
    ['2026-03-01', '2026-03-01T00:00:00Z'],
    ['2026-03-01 10:20', '2026-03-01T10:20Z'],
    ['2026-03-01 10:20:30 UTC', '2026-03-01T10:20:30Z'],
    ['2026-03-01T10:20:30.123456Z', '2026-03-01T10:20:30.123456Z'],
    ['2026-03-01T10:20:30+00:00', '2026-03-01T10:20:30Z'],
    // What could be two days, or is another zone's, is left for the service to refuse.
    ['2026-03-01T10:20:30-03:00', '2026-03-01T10:20:30-03:00'],
    ['01/03/2026', '01/03/2026'],
  ])('%s', (text, value) => {
    expect(cellOf('moment', text, json)).toEqual({ value });
  });
});

describe('a row', () => {
  const mapping = [
    'last_name',
    'first_name',
    'label_list',
    'label_list',
    'custom_attributes.a',
    'custom_attributes.__proto__',
  ];
  const draft = (cells: readonly string[]) =>
    draftOf(
      { number: 2, cells },
      columnsOf('contacts', mapping, new Map([['phone', '1']]), false),
      json,
    );

  test('is a record of what its cells say, and of what all have', () => {
    const { fields, named, faults } = draft(['Lovelace', 'Ada', 'a, b', 'c', '1', 'x']);
    expect(JSON.stringify(fields)).toBe(
      '{"full_name":"Ada Lovelace","label_list":"a, b,c","phone":"1","custom_attributes":{"a":"1","__proto__":"x"}}',
    );
    expect({ named, faults }).toEqual({ named: [], faults: {} });
  });

  test('says nothing of what its cells leave out', () => {
    expect(draft(['', 'Ada', '', '', '']).fields).toEqual({ full_name: 'Ada', phone: '1' });
  });

  test('names what cannot be read, by what its column should become', () => {
    const columns = columnsOf('products', ['amount', 'custom_attributes'], new Map(), false);
    const row = { number: 9, cells: ['1.234', '{'], fault: 'is torn' };
    expect(draftOf(row, columns, json)).toEqual({
      row,
      fields: {},
      named: [],
      faults: { row: ['is torn'], amount: [ambiguous.fault], custom_attributes: ['must be JSON'] },
    });
  });
});
