import { describe, expect, test } from '@jest/globals';
import { changes } from '../../src/console/components/changes.ts';
import { labelsOf } from '../../src/console/pages/contacts/contact_form.ts';
import { centsOf, wholeOf } from '../../src/console/records/amounts.ts';
import { attributesOf, recordOf } from '../../src/console/records/attributes.ts';
import { clockAt, momentOf } from '../../src/console/words/days.ts';

describe('what people type at the console', () => {
  test.each([
    ['1234', 123400],
    ['1234.5', 123450],
    ['1.234,50', 123450],
    ['1,234.50', 123450],
    ["1'234.50", 123450],
    ['1 234,50', 123450],
    ['1.234', 123400],
    ['0,07', 7],
    [' 12. ', 1200],
  ])('%s is an amount', (typed, cents) => {
    expect(centsOf(typed, 'price')).toBe(cents);
  });

  test.each(['', '-1', 'free', '1.2345', '12,34,56.7', '90071992547409.92'])(
    '%j is no amount, and its field says so',
    (typed) => {
      expect(() => centsOf(typed, 'price')).toThrow(
        expect.objectContaining({ fields: { price: ['is invalid'] } }),
      );
    },
  );

  test('a quantity is whole', () => {
    expect(wholeOf('12', 'quantity')).toBe(12);
    expect(() => wholeOf('1.5', 'quantity')).toThrow();
  });

  test('commas part labels, unless quotes protect them', () => {
    expect(labelsOf('vip, "Lisbon, Portugal",, "the ""best""" ')).toEqual([
      'vip',
      'Lisbon, Portugal',
      'the "best"',
    ]);
  });
});

describe('custom attributes', () => {
  const sent = '{"city":"Lisboa","seats":5,"nested":{"a":[null,true]},"__proto__":"own"}';

  test('go back as they came when nothing was changed', () => {
    const record: Record<string, unknown> = JSON.parse(sent);
    expect(JSON.stringify(recordOf(attributesOf(record)))).toBe(sent);
  });

  test.each([
    ['a row without a name', [{ key: '', text: 'x', isText: true }], "can't be blank"],
    [
      'a name that is there twice',
      [
        { key: 'a', text: '1', isText: true },
        { key: 'a', text: '2', isText: true },
      ],
      'has already been taken',
    ],
    ['JSON that is no longer valid', [{ key: 'a', text: '{', isText: false }], 'is invalid'],
  ])('%s is told at the field', (_, rows, message) => {
    expect(() => recordOf(rows)).toThrow(
      expect.objectContaining({ fields: { custom_attributes: [message] } }),
    );
  });
});

test('an update sends what was changed alone', () => {
  const before = { name: 'Ana', labels: ['a'], more: { x: 1 } };
  expect(changes(before, { name: 'Bea', labels: ['a'], more: { x: 2 } })).toEqual({
    name: 'Bea',
    more: { x: 2 },
  });
});

test('clocks and moments of a time zone lead to each other, also when clocks are changed', () => {
  const zone = 'America/New_York';
  for (const clock of ['2026-03-07T23:30', '2026-03-08T03:30', '2026-11-01T09:00']) {
    expect(clockAt(Date.parse(momentOf(clock, zone)), zone)).toBe(clock);
  }
  expect(momentOf('2026-07-01T09:30', zone)).toBe('2026-07-01T13:30:00.000Z');
});

test.each([0, 29, 31, 59])('a clock shows the minute that %s seconds are of', (seconds) => {
  const moment = Date.parse('2026-11-30T17:31:00Z') + seconds * 1000;
  expect(clockAt(moment, 'Europe/Berlin')).toBe('2026-11-30T18:31');
});
