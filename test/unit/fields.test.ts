import { describe, expect, test } from '@jest/globals';
import { Fault, Faults } from '../../src/errors/errors.ts';
import { parseJson } from '../../src/json/json.ts';
import { attributes } from '../../src/resources/kernel/fields/attributes.ts';
import {
  emailField,
  flag,
  integer,
  nameField,
  oneOf,
  reference,
  text,
  timestamp,
} from '../../src/resources/kernel/fields/fields.ts';
import { type Field, readFields } from '../../src/resources/kernel/fields/input.ts';

/** What a field makes of a value: what is stored, or the message. */
function read(field: Field<unknown>, value: unknown): { kept?: unknown; told: readonly string[] } {
  const faults = new Faults();
  const sent = readFields({ field: value }, { field }, faults);
  const told = messagesOf(faults);
  return 'field' in sent ? { kept: sent.field, told } : { told };
}

function messagesOf(faults: Faults): readonly string[] {
  try {
    faults.throwIfAny();
    return [];
  } catch (error) {
    if (error instanceof Fault) return Object.values(error.fields ?? {}).flat();
    throw error;
  }
}

const keeps = (kept: unknown) => ({ kept, told: [] });
const tells = (...told: readonly string[]) => ({ told });

describe('readFields', () => {
  const fields = { name: text(), amount: integer({ min: 0, cleared: 0 }) };

  test('what was left out is not there, nor what no field reads', () => {
    expect(readFields({ other: 1, name: undefined }, fields, new Faults())).toEqual({});
  });

  test('an inherited property was not sent', () => {
    const input: Readonly<Record<string, unknown>> = Object.create({ name: 'inherited' });
    expect(readFields(input, fields, new Faults())).toEqual({});
  });

  test('null is what clears a field, or a message where nothing does', () => {
    expect(readFields({ name: null, amount: null }, fields, new Faults())).toEqual({
      name: '',
      amount: 0,
    });
    expect(read(reference, null)).toEqual(tells('must exist'));
    expect(read(integer({ min: 1 }), null)).toEqual(tells("can't be blank"));
  });

  test('faults are told under the prefix', () => {
    const faults = new Faults();
    readFields({ name: true }, fields, faults, 'contact_attributes.');
    expect(faults.has('contact_attributes.name')).toBe(true);
  });
});

describe('text', () => {
  test.each([
    ['Zoe\u0308', 'Zo\u00eb'],
    ['\u200b', ''],
    [' \u2060\u00ad\u3164\u2800\t', ''],
    ['\u200ba', '\u200ba'],
  ])('of %j is %j in one line, and as it was sent verbatim', (sent, stored) => {
    expect(read(text(), sent)).toEqual(keeps(stored));
    expect(read(text({ verbatim: true }), sent)).toEqual(keeps(sent));
  });

  test('of invisible characters alone is missing where one is required', () => {
    expect(read(nameField, '\u200b\u2060')).toEqual(tells("can't be blank"));
  });

  test.each(['', 'x', ' x ', '\u0001', '😀', 'x'.repeat(255), '😀'.repeat(255)])(
    'keeps %j',
    (value) => {
      expect(read(text(), value)).toEqual(keeps(value));
    },
  );

  test.each([
    ['12345', '12345'],
    ['12345678901234567890', '12345678901234567890'],
    ['-5', '-5'],
    ['0', '0'],
    ['1e3', '1000'],
    ['1e21', '1000000000000000000000'],
    ['1.00000000000000000000', '1'],
  ])('is the digits of the JSON number %s', (json, digits) => {
    expect(read(text(), parseJson(json))).toEqual(keeps(digits));
  });

  test.each([1.5, true, [], {}, ['x'], parseJson('1e400')])('is not %j', (value) => {
    expect(read(text(), value)).toEqual(tells('must be a string'));
  });

  test.each(['\0', 'a\0b', '\ud800', 'a\udc00', '\udc00\ud800'])(
    'cannot be stored: %j',
    (value) => {
      expect(read(text(), value)).toEqual(tells('has characters that cannot be stored'));
    },
  );

  test('is counted in characters, after it was normalised', () => {
    expect(read(text(), '😀'.repeat(256))).toEqual(
      tells('is too long (maximum is 255 characters)'),
    );
    const trimmed = text({ max: 2, normalise: (value) => value.trim() });
    expect(read(trimmed, '  ab  ')).toEqual(keeps('ab'));
    expect(read(trimmed, 'abc')).toEqual(tells('is too long (maximum is 2 characters)'));
  });
});

describe('a text that cannot be meant', () => {
  const unread = text({
    normalise: () => {
      throw new Error('was normalised');
    },
    check: () => {
      throw new Error('was checked');
    },
  });
  const tooLong = tells('is too long (maximum is 255 characters)');

  test.each([
    ['letters', 'ü'.repeat(1021)],
    ['blanks', ' '.repeat(1_000_000)],
    ['surrogate pairs', '😀'.repeat(511)],
    ['what cannot be stored', '\0'.repeat(1021)],
  ])('is refused for its length before anything looks at its %s', (_, sent) => {
    expect(read(unread, sent)).toEqual(tooLong);
  });

  test('is longer than white space and composed marks can make one that is', () => {
    const field = text({ normalise: (sent) => sent.trim().normalize('NFC') });
    const composed = 'ḗ'.repeat(255);
    expect(read(field, ` ${composed.normalize('NFD')} `)).toEqual(keeps(composed));
  });
});

describe('an e-mail address', () => {
  test.each([
    [' Ana@Example.COM ', 'ana@example.com'],
    ['ana@müller.example', 'ana@xn--mller-kva.example'],
    ['a@b@müller.example', undefined],
    ['ana@mül ler.example', undefined],
    ['müller', undefined],
    ['ü@example.com', undefined],
    ['ana@', undefined],
    ['@müller.example', undefined],
    ['a@xn--a.ü', undefined],
  ])('%j becomes %j', (sent, kept) => {
    expect(read(emailField, sent)).toEqual(kept === undefined ? tells('is invalid') : keeps(kept));
  });

  test('of a million letters is refused at once', () => {
    const began = process.cpuUsage();
    expect(read(emailField, `a@${'ü'.repeat(1_000_000)} b`)).toEqual(
      tells('is too long (maximum is 255 characters)'),
    );
    expect(process.cpuUsage(began).user).toBeLessThan(500_000);
  });
});

describe('integer', () => {
  const amount = integer({ min: 0, cleared: 0 });

  test.each([
    [0, 0],
    [12, 12],
    ['12', 12],
    ['0', 0],
    [-0, -0],
    ['9007199254740991', 9_007_199_254_740_991],
  ])('reads %j', (value, kept) => {
    expect(read(amount, value)).toEqual(keeps(kept));
  });

  test.each([
    1.5,
    '1.5',
    ' 1',
    '1 ',
    '01',
    '+1',
    '-0',
    '1e3',
    '0x1',
    '１',
    true,
    [],
    {},
    [1],
    Number.NaN,
    parseJson('0.12345678901234567890'),
  ])('%j is malformed', (value) => {
    expect(read(amount, value)).toEqual(tells('must be an integer'));
  });

  test.each([
    9_007_199_254_740_992,
    '9007199254740992',
    '99999999999999999999',
    parseJson('12345678901234567890'),
    '-9007199254740992',
  ])('%j is beyond what an amount can be', (value) => {
    expect(read(amount, value)).toEqual(tells('must be an integer from 0 to 9007199254740991'));
  });

  test('has a least', () => {
    expect(read(amount, -1)).toEqual(tells('must be greater than or equal to 0'));
    expect(read(integer({ min: 1 }), '0')).toEqual(tells('must be greater than or equal to 1'));
  });
});

test('a reference that can be no id cannot exist', () => {
  expect(read(reference, '12')).toEqual(keeps(12));
  for (const value of [0, -1, 9_007_199_254_740_992, '99999999999999999999']) {
    expect(read(reference, value)).toEqual(tells('must exist'));
  }
  expect(read(reference, 'x')).toEqual(tells('must be an integer'));
});

test('oneOf keeps what is on the list, exactly', () => {
  const field = oneOf(['a', 'b']);
  expect(read(field, 'b')).toEqual(keeps('b'));
  expect(read(field, null)).toEqual(keeps('a'));
  for (const value of ['A', '', ' a', 1, ['a'], {}])
    expect(read(field, value)).toEqual(tells('is not included in the list (a, b)'));
});

test('a flag is true or false, as JSON has them and as forms send them', () => {
  const kept = (values: readonly unknown[]) => values.map((value) => read(flag, value).kept);
  expect(kept([true, 'true', 1, '1'])).toEqual([true, true, true, true]);
  expect(kept([false, 'false', 0, '0'])).toEqual([false, false, false, false]);
  for (const value of [2, 'TRUE', 'yes', 't', ' 1', []])
    expect(read(flag, value)).toEqual(tells('must be true or false'));
});

test('an empty text is null for what is no text', () => {
  const fields = {
    amount: integer({ min: 0, cleared: 0 }),
    deal_id: reference,
    done: flag,
    done_at: timestamp,
    name: text(),
    kind: oneOf(['a', 'b']),
  };
  const faults = new Faults();
  const input = { amount: '', deal_id: '', done: '', done_at: '', name: '', kind: '' };
  expect(readFields(input, fields, faults)).toEqual({
    amount: 0,
    done: false,
    done_at: null,
    name: '',
  });
  expect(faults.fault().fields).toEqual({
    deal_id: ['must exist'],
    kind: ['is not included in the list (a, b)'],
  });
});

describe('timestamp', () => {
  test.each([
    ['2026-03-01T10:00:00Z', '2026-03-01T10:00:00.000Z'],
    ['2026-03-01T10:00Z', '2026-03-01T10:00:00.000Z'],
    ['2026-03-01T10:00:00.1234567Z', '2026-03-01T10:00:00.123Z'],
    ['2026-03-01T10:00:00+00:00', '2026-03-01T10:00:00.000Z'],
    ['2024-02-29T00:00:00-0000', '2024-02-29T00:00:00.000Z'],
  ])('%s is kept as %s', (value, kept) => {
    expect(read(timestamp, value)).toEqual(keeps(kept));
  });

  test.each([
    '2026-03-01',
    '2026-03-01T10:00:00',
    '2026-03-01T10:00:00+01:00',
    '2023-02-29T00:00:00Z',
    '0000-01-01T00:00:00Z',
    'x',
    5,
    {},
  ])('%j is refused', (value) => {
    expect(read(timestamp, value).told).toEqual([
      expect.stringMatching(/^must be an ISO 8601 time in UTC/),
    ]);
  });
});

describe('attributes', () => {
  test('are kept as the text that was sent', () => {
    const sent = parseJson('{"field":{"2":1e400,"1":1.0}}');
    expect(read(attributes, Reflect.get(Object(sent), 'field'))).toEqual(
      keeps('{"2":1e400,"1":1.0}'),
    );
  });

  test('an empty list is an empty object', () => {
    expect(read(attributes, [])).toEqual(keeps('{}'));
  });

  test.each([1, 'x', true, [1], [{}], parseJson('1e400')])('%j is no object', (value) => {
    expect(read(attributes, value)).toEqual(tells('must be an object'));
  });

  test('what looks like an escape within a text is a text', () => {
    expect(read(attributes, parseJson(String.raw`{"a":"\\u0000"}`)).kept).toBe(
      String.raw`{"a":"\\u0000"}`,
    );
    expect(read(attributes, parseJson(String.raw`{"a":"\u0000"}`)).told).toHaveLength(1);
    expect(read(attributes, parseJson(String.raw`{"a":"\ud83d\ude00"}`)).told).toEqual([]);
  });
});
