import { expect, test } from '@jest/globals';
import pg from 'pg';
import { isoTimestamp } from '../../src/db/sql/timestamp.ts';
import { types } from '../../src/db/sql/values.ts';

const parse = types.getTypeParser(pg.types.builtins.TIMESTAMPTZ, 'text');

test.each([
  ['2026-03-01 10:00:00.123+00', '2026-03-01T10:00:00.123+00:00', '2026-03-01T10:00:00.123Z'],
  ['2026-03-01 10:00:00.12+00', '2026-03-01T10:00:00.12+00:00', '2026-03-01T10:00:00.120Z'],
  ['2026-03-01 10:00:00+00', '2026-03-01T10:00:00+00:00', '2026-03-01T10:00:00.000Z'],
  ['2026-03-01 10:00:00.123456+00', '2026-03-01T10:00:00.123456+00:00', '2026-03-01T10:00:00.123Z'],
  ['12026-03-01 10:00:00.1+00', '12026-03-01T10:00:00.1+00:00', '12026-03-01T10:00:00.100Z'],
  ['12026-03-01 10:00:00.12+00', '12026-03-01T10:00:00.12+00:00', '12026-03-01T10:00:00.120Z'],
])('%s of PostgreSQL is %s in Node and %s in an answer', (sent, read, shown) => {
  expect(parse(sent)).toBe(read);
  expect(isoTimestamp(read)).toBe(shown);
  expect(isoTimestamp(shown)).toBe(shown);
});
