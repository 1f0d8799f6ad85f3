import { describe, expect, test } from '@jest/globals';
import type { Shapes } from '../../src/db/sql/shape.ts';
import { LongNumber } from '../../src/json/json.ts';
import { shapes } from '../../src/resources/shapes.ts';
import { parseSearch } from '../../src/search/parse.ts';
import { refusal } from '../search/run.ts';

const contacts = (query: unknown) => parseSearch(query, 'contacts', shapes);
const refused = (query: unknown) => refusal('contacts', query);
const only = (query: unknown) => contacts(query).where.conditions[0];

/** A resource whose names can be read in several ways. */
const puzzling: Shapes = {
  ...shapes,
  contacts: {
    ...shapes.contacts,
    columns: {
      ...shapes.contacts.columns,
      deal_name: 'text',
      name: 'text',
      fit_or_fat: 'text',
      active: 'boolean',
    },
    associations: {
      deal: { to: 'contacts', many: false, on: { id: 'id' }, searchable: true },
      deal_deal: { to: 'deals', many: false, on: { id: 'id' }, searchable: true },
      secret: { to: 'deals', many: false, on: { id: 'id' } },
    },
    searchable: [...shapes.contacts.searchable, 'deal_name', 'name', 'fit_or_fat', 'active'],
  },
};
const puzzled = (key: string) =>
  parseSearch({ [key]: 'x' }, 'contacts', puzzling).where.conditions.flatMap(
    ({ attributes, any }) =>
      attributes.map(({ path, column, key }) =>
        [any, ...path, column, ...(key ? [key] : [])].join('/'),
      ),
  );

describe('a key', () => {
  test.each([
    ['deal_name_eq', ['false/deal_name']],
    ['deal_deal_name_eq', ['false/deal_deal/name']],
    ['deal_full_name_eq', ['false/deal/full_name']],
    ['deal_deal_full_name_eq', ['false/deal/deal/full_name']],
    ['deal_deal_contact_email_cont', ['false/deal_deal/contact/email']],
    ['fit_or_fat_eq', ['false/fit_or_fat']],
    ['name_or_email_eq', ['true/name', 'true/email']],
    ['name_and_email_eq', ['false/name', 'false/email']],
    ['custom_attributes.city_eq', ['false/custom_attributes/city']],
    ['custom_attributes.a.b_eq', ['false/custom_attributes/a.b']],
    ['custom_attributes.black_or_white_eq', ['false/custom_attributes/black_or_white']],
    [
      'custom_attributes.black_or_white_or_email_eq',
      ['true/custom_attributes/black_or_white', 'true/email'],
    ],
    [
      'email_or_custom_attributes.salt_and_pepper_eq',
      ['true/email', 'true/custom_attributes/salt_and_pepper'],
    ],
    ['deal_custom_attributes.city_not_eq', ['false/deal/custom_attributes/city']],
    ['custom_attributes.__proto___eq', ['false/custom_attributes/__proto__']],
  ])('%s is read column first, then by the longest association', (key, expected) => {
    expect(puzzled(key)).toEqual(expected);
  });

  test.each([
    ['full_name', 'has no predicate (did you mean full_name_eq?)'],
    ['full_name_contains', 'has an unknown predicate (did you mean full_name_cont?)'],
    ['fullname_cont', 'is not a searchable attribute (did you mean full_name_cont?)'],
    ['mail_end', 'is not a searchable attribute (did you mean email_end?)'],
    ['deal_name_eq', 'is not a searchable attribute (did you mean deals_name_eq?)'],
    ['deals_stage_name', 'has no predicate (did you mean deals_stage_name_eq?)'],
    ['created_at_gte', 'has an unknown predicate (did you mean created_at_gteq?)'],
    ['full_name_like', 'has an unknown predicate (did you mean full_name_cont?)'],
    ['full_name_ilike', 'has an unknown predicate (did you mean full_name_i_cont?)'],
    ['full_name_starts_with', 'has an unknown predicate (did you mean full_name_start?)'],
    ['full_name_endswith', 'has an unknown predicate (did you mean full_name_end?)'],
    ['full_name_contains_any', 'has an unknown predicate (did you mean full_name_cont_any?)'],
    ['id_neq', 'has an unknown predicate (did you mean id_not_eq?)'],
    ['id_ne', 'has an unknown predicate (did you mean id_not_eq?)'],
    ['created_at_lte', 'has an unknown predicate (did you mean created_at_lteq?)'],
    ['created_at_between', 'has an unknown predicate (did you mean created_at_gteq?)'],
    ['id_nin', 'has an unknown predicate (did you mean id_not_in?)'],
    ['full_name_isnull', 'has an unknown predicate (did you mean full_name_null?)'],
    ['deals_stage_name_like', 'has an unknown predicate (did you mean deals_stage_name_cont?)'],
    ['email_zzz', 'has an unknown predicate (all are listed at /docs)'],
    ['eq', 'has an unknown predicate (all are listed at /docs)'],
    ['', 'has an unknown predicate (all are listed at /docs)'],
    ['_eq', 'is not a searchable attribute'],
    ['FULL_NAME_eq', 'is not a searchable attribute (did you mean full_name_eq?)'],
    ['account_id_eq', 'is not a searchable attribute'],
    ['additional_attributes_eq', 'is not a searchable attribute'],
    ['deals_account_id_eq', 'is not a searchable attribute'],
    ['events_kind_eq', 'is not a searchable attribute'],
    ['deals_events_kind_eq', 'is not a searchable attribute'],
    ['deals.name_eq', 'is not a searchable attribute (did you mean deals_name_eq?)'],
    ['__proto___eq', 'is not a searchable attribute'],
    ['constructor_eq', 'is not a searchable attribute'],
    ['full_name.x_eq', 'is not a searchable attribute (did you mean full_name_eq?)'],
    ['custom_attributes_eq', 'is searched by key: custom_attributes.<key>_<predicate>'],
    ['custom_attributes._eq', 'is searched by key: custom_attributes.<key>_<predicate>'],
    ['full_name_or_bogus_eq', '"bogus" is not a searchable attribute'],
    ['full_name_or__or_email_eq', '"" is not a searchable attribute'],
    ['full_name_or_email_and_phone_eq', 'joins attributes with both _or_ and _and_'],
    ['full_name_or_label_list_eq', 'joins labels with other attributes'],
    ['id_cont', 'cannot ask cont of an integer'],
    ['created_at_start', 'cannot ask start of a time'],
    ['full_name_true', 'cannot ask true of a text'],
    ['label_list_true', 'cannot ask true of labels'],
    ['labels_name_false', 'cannot ask false of labels'],
    ['deals_contact_deals_contact_email_eq', 'follows more than 3 associations'],
  ])('%s is refused: %s', (key, message) => {
    expect(refused({ [key]: '1' })).toEqual({ [key]: [message] });
  });

  test('may follow three associations', () => {
    expect(only({ deals_contact_deals_name_eq: 'x' })?.attributes[0]?.path).toEqual([
      'deals',
      'contact',
      'deals',
    ]);
  });

  test('is reported together with every other that cannot be read', () => {
    const query = {
      bogus_eq: 1,
      id_eq: 'abc',
      full_name_cont: 'fine',
      g: [{ created_at_gteq: 'garbage', c: [{ a: ['nope'], p: 'eq', v: [1] }] }],
      s: 'nowhere asc',
    };
    expect(refused(query)).toEqual({
      bogus_eq: ['is not a searchable attribute'],
      id_eq: ['is not an integer'],
      created_at_gteq: ['is not an ISO 8601 time, such as 2026-03-01 or 2026-03-01T10:00:00Z'],
      c: ['"nope" is not a searchable attribute'],
      s: ['"nowhere" is not a searchable attribute'],
    });
  });
});

describe('a value', () => {
  test.each([null, undefined, '', ' ', '\u00a0\u2003\n', [], {}, [null, '']])(
    'of %p drops its condition, whatever the key',
    (value) =>
      expect(contacts({ full_name_eq: value, bogus_eq: value }).where.conditions).toEqual([]),
  );

  test.each([
    ['id_eq', 0, [0]],
    ['id_eq', '-12', [-12]],
    ['id_eq', ' 5\n', [5]],
    ['id_eq', 2 ** 53 - 1, [2 ** 53 - 1]],
    ['id_in', ['1', 2, null, ''], [1, 2]],
    ['id_in', 7, [7]],
    ['full_name_eq', '\v x ', ['x']],
    ['full_name_eq', '\u00a0x', ['\u00a0x']],
    ['full_name_in', [' x '], [' x ']],
    ['full_name_cont', -1.5, ['-1.5']],
    ['full_name_cont', false, ['false']],
    ['full_name_eq', new LongNumber('12345678901234567890'), ['12345678901234567890']],
    ['full_name_null', 'T', [true]],
    ['full_name_null', ' 0 ', [false]],
    ['full_name_matches', 'a\\\\', ['a\\\\']],
    ['created_at_eq', '2024-01-01', ['2024-01-01T00:00:00.000000+00']],
  ])('%s: %p is read', (key, value, expected) => {
    expect(only({ [key]: value })?.values).toEqual([expected]);
  });

  test.each([
    ['id_eq', 1.5, 'is not an integer'],
    ['id_eq', true, 'is not an integer'],
    ['id_eq', '007', 'is not an integer'],
    ['id_eq', '+5', 'is not an integer'],
    ['id_eq', '1e3', 'is not an integer'],
    ['id_eq', '9007199254740992', 'is out of range'],
    ['id_eq', new LongNumber('9007199254740993'), 'is not an integer'],
    ['id_in', [' 5 '], 'is not an integer'],
    ['id_eq', [1], 'takes one value, not a list'],
    ['full_name_eq', { a: 1 }, 'is not a text'],
    ['full_name_in', [['x']], 'is not a text'],
    ['full_name_cont', 'a\0b', 'holds a NUL character'],
    ['full_name_cont', 'a\ud800b', 'holds half a surrogate pair'],
    ['custom_attributes.a\0_eq', 'x', 'holds a NUL character'],
    ['full_name_matches', 'a\\', 'ends with a backslash that escapes nothing'],
    ['full_name_matches', 'a\\\\\\', 'ends with a backslash that escapes nothing'],
    ['full_name_null', 'maybe', 'is not a boolean'],
    ['full_name_null', 2, 'is not a boolean'],
    [
      'created_at_lt',
      'infinity',
      'is not an ISO 8601 time, such as 2026-03-01 or 2026-03-01T10:00:00Z',
    ],
  ])('%s: %p is refused: %s', (key, value, message) => {
    expect(refused({ [key]: value })).toEqual({ [key]: [message] });
  });

  test('is stripped at the top alone, not in a group', () => {
    const { where } = contacts({ full_name_eq: ' x ', g: [{ full_name_eq: ' x ', id_eq: 1 }] });
    expect(where.conditions[0]?.values).toEqual([['x']]);
    expect(where.groups[0]?.conditions[0]?.values).toEqual([[' x ']]);
  });

  test('of a boolean is one of the fourteen ways to write it', () => {
    const read = (value: unknown) =>
      parseSearch({ active_eq: value }, 'contacts', puzzling).where.conditions[0]?.values;
    for (const yes of [true, 1, '1', 't', 'T', 'true', 'TRUE']) expect(read(yes)).toEqual([[true]]);
    for (const no of [false, 0, '0', 'f', 'F', 'false', 'FALSE'])
      expect(read(no)).toEqual([[false]]);
  });
});

describe('m, g and c', () => {
  test.each([
    [{ m: 'xor', id_eq: 1 }, { m: ['is neither "and" nor "or"'] }],
    [{ m: 'OR', id_eq: 1 }, { m: ['is neither "and" nor "or"'] }],
    [{ g: 'x' }, { g: ['is not a list of queries'] }],
    [{ g: [1] }, { g: ['is not a list of queries'] }],
    [{ g: { a: { id_eq: 1 } } }, { g: ['is not a list of queries'] }],
    [{ g: [{ s: 'id', id_eq: 1 }] }, { s: ['does not stand at the top of the query'] }],
    [{ c: [{ a: ['id'], p: 'equals', v: [1] }] }, { c: ['has an unknown predicate as p'] }],
    [{ c: [{ p: 'eq', v: [1] }] }, { c: ['names no attribute as a'] }],
    [{ c: [{ a: ['id'], p: 'eq', v: [1, 2] }] }, { c: ['takes one value, not a list'] }],
    [{ c: [{ a: [1], p: 'eq', v: [1] }] }, { c: ['holds an attribute that is not a name'] }],
    [{ c: [{ a: ['id'], p: 'eq', v: [1], x: 1 }] }, { c: ['"x" is none of a, p, v and m'] }],
  ])('%j is refused', (query, expected) => expect(refused(query)).toEqual(expected));

  test('take lists, and objects with number keys', () => {
    const list = contacts({
      g: [{ id_eq: 1 }, { id_eq: 2 }],
      c: [{ a: ['id'], p: 'eq', v: ['3'] }],
    });
    const form = contacts({
      g: { 0: { id_eq: '1' }, 1: { id_eq: '2' } },
      c: { 0: { a: { 0: { name: 'id' } }, p: 'eq', v: { 0: { value: '3' } } } },
    });
    expect(form).toEqual(list);
  });

  test.each([
    { g: [{}] },
    { g: [{ g: [{ m: 'or' }] }] },
    { c: [{ a: ['id'], p: 'eq', v: [''] }] },
    { m: 'or' },
  ])('%j asks for everything', (query) => {
    expect(contacts(query).where.conditions).toEqual([]);
    expect(contacts(query).where.groups).toEqual([]);
  });
});

describe('a sort', () => {
  test.each([
    ['id', [['id', false]]],
    ['id desc', [['id', true]]],
    ['  full_name   DESC ', [['full_name', true]]],
    [
      ['created_at desc', 'id asc', ''],
      [
        ['created_at', true],
        ['id', false],
      ],
    ],
  ])('%j is read', (s, expected) => {
    const { sorts } = contacts({ s });
    expect(sorts.map(({ attribute, descending }) => [attribute.column, descending])).toEqual(
      expected,
    );
  });

  test('of s comes before that of sorts, in the order sent', () => {
    const { sorts } = contacts({ sorts: 'id', s: 'email' });
    expect(sorts.map(({ attribute }) => attribute.column)).toEqual(['id', 'email']);
  });

  test.each([
    [false, 'is not a text like "id desc", or a list of such'],
    [[1], 'holds what is not a text like "id desc"'],
    ['id sideways', '"id sideways" is not an attribute followed by asc or desc'],
    ['id desc, email asc', '"id desc, email asc" is not an attribute followed by asc or desc'],
    ['account_id', '"account_id" is not a searchable attribute'],
    [
      '-created_at',
      '"-created_at" is not an attribute followed by asc or desc (did you mean "created_at desc"?)',
    ],
    ['+id', '"+id" is not an attribute followed by asc or desc (did you mean "id asc"?)'],
    ['label_list', '"label_list" is not a sortable attribute'],
    ['custom_attributes.city', '"custom_attributes.city" is not a sortable attribute'],
    ['deals_name', '"deals_name" lies behind several deals, which give no order'],
  ])('%j is refused', (s, message) => expect(refused({ s })).toEqual({ s: [message] }));
});

describe('a limit', () => {
  const conditions = (count: number) => ({
    g: Array.from({ length: count }, () => ({ id_eq: 1 })),
  });
  const tooMany = { query: ['has more than 100 conditions'] };

  test('of 100 conditions counts each attribute that is asked', () => {
    expect(refused(conditions(100))).toBeUndefined();
    expect(refused(conditions(101))).toEqual(tooMany);
    const pairs = (count: number) => ({
      c: Array.from({ length: count }, () => ({ a: ['id', 'app_id'], p: 'eq', v: [1] })),
    });
    expect(refused(pairs(50))).toBeUndefined();
    expect(refused(pairs(51))).toEqual(tooMany);
  });

  test('of 100 conditions ends the reading of 100,000 keys at once', () => {
    const keys = Array.from({ length: 100_000 }, (_, at) => [`bogus_${at}_eq`, at]);
    expect(refused(Object.fromEntries(keys))).toEqual(tooMany);
  });

  const nested = (depth: number): object =>
    depth === 0 ? { id_eq: 5 } : { id_gt: 0, g: [nested(depth - 1)] };

  test('of 10 levels counts groups that add something', () => {
    expect(refused(nested(10))).toBeUndefined();
    expect(refused(nested(11))).toEqual({ g: ['is nested more than 10 levels deep'] });
  });

  const wrapped = (depth: number): object =>
    depth === 0 ? { id_eq: 5 } : { g: [wrapped(depth - 1)] };

  test('of 64 levels holds for groups that add nothing', () => {
    expect(refused(wrapped(64))).toBeUndefined();
    expect(refused(wrapped(65))).toEqual({ query: ['is nested more than 10 levels deep'] });
    expect(refused(wrapped(900))).toEqual({ query: ['is nested more than 10 levels deep'] });
  });

  test('of 1,000 values holds for every list', () => {
    const values = (count: number) => Array.from({ length: count }, (_, at) => at);
    expect(refused({ id_in: values(1000) })).toBeUndefined();
    expect(refused({ id_in: values(1001) })).toEqual({ id_in: ['has more than 1,000 values'] });
    expect(refused({ c: [{ a: ['id'], p: 'in', v: values(1001) }] })).toEqual({
      c: ['has more than 1,000 values'],
    });
    expect(refused({ id_in: values(1001).map(() => '') })).toEqual({
      id_in: ['has more than 1,000 values'],
    });
    expect(refused({ s: values(1001).map(() => '') })).toEqual({
      s: ['has more than 1,000 sorts'],
    });
  });

  test('of 8 sorts holds', () => {
    const sorts = (count: number) => Array.from({ length: count }, () => 'id');
    expect(refused({ s: sorts(8) })).toBeUndefined();
    expect(refused({ s: sorts(9) })).toEqual({ s: ['has more than 8 sorts'] });
  });
});

describe('hostile input', () => {
  const long = 'x'.repeat(1_000_000);
  const blanks = `x${' '.repeat(1_000_000)}x`;
  test.each([
    ['a long key', { [`${long}_eq`]: 1 }],
    ['a key of joints', { [`${'_or_a'.repeat(200_000)}_eq`]: 1 }],
    ['a key of joints to a free key', { [`custom_attributes.a${'_or_b'.repeat(200_000)}_eq`]: 1 }],
    ['a key of joined attributes', { [`id${'_or_id'.repeat(150_000)}_eq`]: 1 }],
    ['a key of underscores', { ['_'.repeat(1_000_000)]: 1 }],
    ['a key of associations', { [`${'deals_contact_'.repeat(70_000)}email_eq`]: 1 }],
    ['a long number', { id_eq: '9'.repeat(1_000_000) }],
    ['a long time', { created_at_eq: '2'.repeat(1_000_000) }],
    ['a value of blanks', { full_name_eq: blanks, created_at_eq: blanks }],
    ['a pattern of backslashes', { full_name_matches: '\\'.repeat(999_999) }],
    ['a sort of blanks', { s: blanks }],
    ['many sorts', { s: Array.from({ length: 300_000 }, () => 'x') }],
    ['many empty groups', { g: Array.from({ length: 300_000 }, () => ({})) }],
    ['many groups', { g: Array.from({ length: 300_000 }, () => ({ id_eq: 1 })) }],
    ['many entries', { c: Array.from({ length: 300_000 }, () => ({ v: 1 })) }],
    ['many attributes', { c: [{ a: Array.from({ length: 300_000 }, () => 'x'), p: 'eq', v: 1 }] }],
    // In time that grows with the square of a million this would not end within the test's.
  ])('%s is read or refused without ado', (_, query) => {
    expect(() => refused(query)).not.toThrow();
  });

  test('a long unknown key is refused without a suggestion, at the cost of a short one', () => {
    const keyed = (length: number) =>
      Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`${'a_'.repeat(length)}${n}`, 1]));
    const min = (length: number) => {
      const times = Array.from({ length: 5 }, () => {
        const query = keyed(length);
        const start = performance.now();
        refused(query);
        return performance.now() - start;
      });
      return Math.min(...times);
    };
    // Looked at from each underscore on it takes a thousand times as long.
    expect(min(5000) / min(40)).toBeLessThan(20);
    expect(refused({ [`full_name_${'_'.repeat(100)}`]: 1 })).toEqual({
      [`full_name_${'_'.repeat(100)}`]: ['has an unknown predicate (all are listed at /docs)'],
    });
  });

  test.each([['x'], [5], [true], [['a']], [new LongNumber('1e400')], [new Date(0)]])(
    'a query that is %p is refused',
    (query) => expect(refused(query)).toEqual({ query: ['is not an object'] }),
  );

  test('a key named __proto__ is a key like any other', () => {
    expect(refused(JSON.parse('{"__proto__": {"id_eq": 1}}'))).toEqual(
      Object.fromEntries([['__proto__', ['has an unknown predicate (all are listed at /docs)']]]),
    );
  });
});

describe('one query of many fields', () => {
  const long = {
    g: Array.from({ length: 90 }, (_, at) => ({
      id_in: Array.from({ length: 1000 }, (_, id) => String(at * 1000 + id)),
    })),
  };

  test('is read once, if reading it takes long', () => {
    expect(contacts(long)).toBe(contacts(long));
  });

  test('is read anew where it searches other records', () => {
    expect(parseSearch(long, 'deals', shapes)).toEqual({ ...contacts(long), shape: 'deals' });
  });
});
