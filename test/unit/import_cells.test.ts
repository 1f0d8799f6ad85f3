import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cellOf } from '../../src/import/cells.ts';
import { draftOf } from '../../src/import/draft.ts';
import { columnsOf } from '../../src/import/mapping.ts';
import type { Kind } from '../../src/import/targets.ts';

const json = { parse: (text: string): unknown => JSON.parse(text), stringify: JSON.stringify };

const ambiguous = { fault: 'may be thousands or decimals: write 1234.00 or 1.23' };
const wrong = { fault: 'must be an amount such as 1234.56' };
const read = (kind: Kind, text: string) => cellOf(kind, text, json);

describe('amounts', () => {
  test.each([
    ['1234', '123400'],
    ['1234.5', '123450'],
    ['12,5', '1250'],
    ['1,234.56', '123456'],
    ['1.234,56', '123456'],
    ['R$ 1.234,56', '123456'],
    ['R$1.234,56', '123456'],
    ['12,50 €', '1250'],
    ['€ 12,50', '1250'],
    ['USD 0.99', '99'],
    ['EUR 12', '1200'],
    ['12 eur', '1200'],
    ['$1,234.56 USD', '123456'],
    ['US$ 7', '700'],
    ['kr. 1.234,50', '123450'],
    ['1 234,50 zł', '123450'],
    ["1'234.50", '123450'],
    ['1’234.50', '123450'],
    ['CHF 1’234’567.05', '123456705'],
    ['1 234,50', '123450'],
    ['1\u00a0234,50\u00a0€', '123450'],
    ['1\u202f234\u202f567,89', '123456789'],
    ['1 234', '123400'],
    ['1.234.567', '123456700'],
    ['1,23,456.78', '12345678'],
    ['₹ 1,23,456.78', '12345678'],
    ['₹12,34,56,789', '12345678900'],
    ['Rs. 1,00,000', '10000000'],
    ['0.05', '5'],
    ['90071992547409.91', '9007199254740991'],
    ['1.234', ambiguous],
    ['12,345', ambiguous],
    ['R$ 1.234', ambiguous],
    ...[
      ...['1.234,567', '1,234.567', '1 234,567', '1.234 567', '1,234 567.00', "1'234,567.00"],
      ...[
        '1.23.4',
        '1,234,56',
        '12.345.6',
        '1.2345',
        '1.234.56',
        '0.123',
        '0,123,456',
        '01.234.567',
      ],
      ...['1,23,45.67', '1.23.456', '1,2,345', '1,23,456,78', '1 23 456.00'],
      ...[
        '12k',
        '12K',
        '12 k',
        'K12',
        '12M',
        '12 M€',
        'M$ 12',
        '12 Mio. €',
        '10 mil',
        '10 mil reais',
      ],
      ...[
        '12L',
        '1 lakh',
        '12 %',
        '12%',
        '-3',
        '−3',
        '(3)',
        '$(3.00)',
        '+3',
        '3-',
        '1.2E+6',
        '12E5',
      ],
      ...['12.', '.50', '12,-', '12.50.', '1\n234', '1  234', '12 x 3', '5-10', '~5', '=5', '１２'],
      ...['free', '€', 'R$', ''],
    ].map((text) => [text, wrong] as const),
  ] as const)('%j', (text, expected) => {
    expect(read('amount', text)).toEqual(
      typeof expected === 'string' ? { value: expected } : expected,
    );
  });

  /** Groups of digits, counted from the right: the first of one size and the others of another. */
  const grouped = (units: bigint, divider: string, others = 3) => {
    const digits = String(units);
    let rest = digits.slice(0, -3);
    const groups = [digits.slice(-3)];
    for (; rest !== ''; rest = rest.slice(0, -others)) groups.unshift(rest.slice(-others));
    return groups.join(divider);
  };

  const writings: readonly ((units: bigint, cents: string) => string)[] = [
    (units, cents) => `${units}.${cents}`,
    (units, cents) => `${units},${cents} €`,
    (units, cents) => `$${grouped(units, ',')}.${cents}`,
    (units, cents) => `R$ ${grouped(units, '.')},${cents}`,
    (units, cents) => `${grouped(units, ' ')},${cents} kr`,
    (units, cents) => `${grouped(units, '\u00a0')},${cents}\u00a0€`,
    (units, cents) => `${grouped(units, '\u202f')},${cents} EUR`,
    (units, cents) => `CHF ${grouped(units, "'")}.${cents}`,
    (units, cents) => `${grouped(units, '’')}.${cents}`,
    (units, cents) => `₹ ${grouped(units, ',', 2)}.${cents}`,
    (units) => `${grouped(units, ',')} USD`,
    (units) => `${grouped(units, '.')} BRL`,
  ];

  test('any amount in twelve writings is its cents to the last one, or refused, and never another', () => {
    let refused = 0;
    const amount = fc.bigInt({ min: 0n, max: 10n ** 12n });
    fc.assert(
      fc.property(amount, fc.nat(99), fc.nat(9), (large, cents, drop) => {
        const units = large / 10n ** BigInt(drop);
        for (const [at, write] of writings.entries()) {
          const digits = String(cents).padStart(2, '0');
          const text = write(units, digits);
          const exact = String(units * 100n + (at < 10 ? BigInt(cents) : 0n));
          const cell = read('amount', text);
          if ('fault' in cell) refused += 1;
          if ('fault' in cell && at < 10) throw new Error(`${text} is refused`);
          if ('value' in cell && cell.value !== exact) throw new Error(`${text}: ${cell.value}`);
          // With one more decimal it is no amount, however it is written.
          if (at === drop) {
            const longer = read('amount', write(units, `${digits}7`));
            if ('value' in longer) throw new Error(`${text} with a 7: ${longer.value}`);
          }
        }
      }),
      { numRuns: 10_000 },
    );
    expect(refused).toBeGreaterThan(0);
  });
});

describe('yes and no', () => {
  test.each([
    ...[
      'TRUE',
      'True',
      'true',
      'WAHR',
      'VERDADEIRO',
      'VERDADERO',
      'yes',
      'Yes',
      'x',
      'X',
      'Sí',
      'Sim',
      'ja',
      '1',
    ].map((text) => [text, true] as const),
    ...['FALSE', 'False', 'FALSCH', 'FALSO', 'no', 'Não', 'nein', '0'].map(
      (text) => [text, false] as const,
    ),
    // The service refuses it.
    ['maybe', 'maybe'],
  ] as const)('%s', (text, value) => {
    expect(read('flag', text)).toEqual({ value });
  });
});

describe('integers', () => {
  test.each([
    ['10', '10'],
    ['10.0', '10'],
    ['10,00', '10'],
    ['-3.0', '-3'],
    // The service refuses these.
    ['10.5', '10.5'],
    ['1.000', '1.000'],
    ['1,000', '1,000'],
    ['1E+3', '1E+3'],
  ])('%s', (text, value) => {
    expect(read('integer', text)).toEqual({ value });
  });
});

describe('phones and codes', () => {
  test.each(['5.51199E+12', '5,51199E+12', '1.2E+3', '5.51199e+12', '1.2E12', '1E+15', '-1.5E-3'])(
    '%s was shortened',
    (text) => {
      const fault = `was shortened by a spreadsheet: ${text} has lost its last digits`;
      expect(read('phone', text)).toEqual({ fault });
      expect(read('code', text)).toEqual({ fault });
    },
  );

  test.each(['+5511912345678', '12E5', 'E+12', 'A1.2E+3', '00123', '1.2', '3.0'])(
    '%s was not',
    (text) => {
      expect(read('phone', text)).toEqual({ value: text });
      expect(read('code', text)).toEqual({ value: text });
    },
  );

  test('a phone that was taken for a number has no decimals', () => {
    expect(read('phone', '5511912345678.0')).toEqual({ value: '5511912345678' });
    expect(read('code', '5511912345678.0')).toEqual({ value: '5511912345678.0' });
  });
});

describe('labels', () => {
  test.each([
    ['vip', ['vip']],
    ['vip;newsletter', ['vip', 'newsletter']],
    ['vip, newsletter;  2026 ;', ['vip', 'newsletter', '2026']],
    ['["vip","newsletter"]', ['vip', 'newsletter']],
    ['["a;b", 2026]', ['a;b', '2026']],
    ['[]', []],
    ['* myContacts ::: Friends', ['* myContacts', 'Friends']],
    ['"a, b";c', ['a, b', 'c']],
    [' "a;b" , "say ""x""" ', ['a;b', 'say "x"']],
    ['5" pipe, 6" pipe', ['5" pipe', '6" pipe']],
    ['"a" b, c', ['"a" b', 'c']],
    ['a, "b, c', ['a', '"b', 'c']],
    ['[vip], [new]', ['[vip]', '[new]']],
    ['""', []],
  ])('%j', (text, value) => {
    expect(read('labels', text)).toEqual({ value });
  });

  test('a list of something else is refused', () => {
    expect(read('labels', '[{"name":"vip"}]')).toEqual({ fault: 'must be a list of texts' });
  });
});

test('one of a list of words is found whatever its case', () => {
  expect(read('word', 'Won')).toEqual({ value: 'won' });
});

describe('moments', () => {
  test.each([
    ['2026-03-01', '2026-03-01T00:00:00Z'],
    ['2026-03-01 10:20', '2026-03-01T10:20Z'],
    ['2026-03-01 10:20:30 UTC', '2026-03-01T10:20:30Z'],
    ['2026-03-01T10:20:30.123456Z', '2026-03-01T10:20:30.123456Z'],
    ['2026-03-01T10:20:30+00:00', '2026-03-01T10:20:30Z'],
    ['13.02.2026', '2026-02-13T00:00:00Z'],
    ['1.3.2026 10:20', '2026-03-01T10:20Z'],
    ['1.3.2026 9:20', '2026-03-01T09:20Z'],
    ['01.03.2026, 10:20:30', '2026-03-01T10:20:30Z'],
    ['1.3.26', '1.3.26'],
    // What could be two days, or is another zone's, is left for the service to refuse.
    ['2026-03-01T10:20:30-03:00', '2026-03-01T10:20:30-03:00'],
    ['01/03/2026', '01/03/2026'],
  ])('%s', (text, value) => {
    expect(cellOf('moment', text, json)).toEqual({ value });
  });
});

describe('days with slashes', () => {
  test.each([
    ['03/04/2026', '2026-04-03T00:00:00Z', '2026-03-04T00:00:00Z'],
    ['3/4/26', '2026-04-03T00:00:00Z', '2026-03-04T00:00:00Z'],
    ['3/4/68 9:20', '2068-04-03T09:20Z', '2068-03-04T09:20Z'],
    ['3/4/69, 10:20:30', '1969-04-03T10:20:30Z', '1969-03-04T10:20:30Z'],
    ['2026-03-04', '2026-03-04T00:00:00Z', '2026-03-04T00:00:00Z'],
    ['3.4.2026', '2026-04-03T00:00:00Z', '2026-04-03T00:00:00Z'],
    ['3/4', '3/4', '3/4'],
    ['3/4/2026 soon', '3/4/2026 soon', '3/4/2026 soon'],
  ])('%s', (text, dayFirst, monthFirst) => {
    expect(cellOf('moment', text, json, 'day-first')).toEqual({ value: dayFirst });
    expect(cellOf('moment', text, json, 'month-first')).toEqual({ value: monthFirst });
  });

  test.each([
    ['31/02/2026', 'day-first'],
    ['02/31/2026', 'month-first'],
    ['29/02/2025', 'day-first'],
    ['13/02/2026', 'month-first'],
    ['0/1/2026', 'day-first'],
    ['31.02.2026', 'month-first'],
  ] as const)('%s, %s, is none', (text, order) => {
    expect(cellOf('moment', text, json, order)).toEqual({ fault: `is not a day: ${text}` });
  });
});

describe('words', () => {
  test.each([
    ['Won', 'won'],
    ['GEWONNEN', 'won'],
    ['Em aberto', 'open'],
    ['perdida', 'lost'],
    ['Aktivität', 'activity'],
    ['Maybe', 'maybe'],
  ])('%s', (text, value) => {
    expect(cellOf('word', text, json)).toEqual({ value });
  });
});

describe('a row', () => {
  test('whose reference was shortened is refused', () => {
    const columns = columnsOf('events', ['contact.phone', 'done'], new Map(), false);
    const { named, fields, faults } = draftOf(
      { number: 2, cells: ['5.51199E+12', 'TRUE'] },
      columns,
      json,
    );
    expect({ named, fields, faults }).toEqual({
      named: [],
      fields: { done: true },
      faults: {
        'contact.phone': ['was shortened by a spreadsheet: 5.51199E+12 has lost its last digits'],
      },
    });
  });

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
      '{"full_name":"Ada Lovelace","label_list":["a","b","c"],"phone":"1","custom_attributes":{"a":"1","__proto__":"x"}}',
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
