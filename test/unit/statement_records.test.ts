import { expect, test } from '@jest/globals';
import { StatementRecords, statementName } from '../../src/db/scheduler/statement_records.ts';

test.each([
  ['SELECT (SELECT count(*) FROM deals WHERE true) FROM contacts AS "c"', 'SELECT contacts'],
  ['WITH page AS (SELECT id FROM "deals") SELECT * FROM page', 'SELECT deals'],
  [
    'WITH moved AS (UPDATE stages SET id = 1), written AS (INSERT INTO deals (id) VALUES ($1) RETURNING *), audit AS (INSERT INTO audit_entries (id) SELECT 1) SELECT * FROM written',
    'INSERT deals',
  ],
  ['SELECT id FROM contacts WHERE id = $1 FOR UPDATE SKIP LOCKED', 'SELECT contacts'],
  ['INSERT INTO audit_entries (id) VALUES (1)', 'INSERT audit_entries'],
  ['DELETE FROM sessions WHERE id = 1', 'DELETE sessions'],
  ['ROLLBACK TO SAVEPOINT savepoint_1', 'ROLLBACK'],
])('the name of %s', (text, name) => {
  expect(statementName(text)).toBe(name);
});

test('there are sixty names at most, and the rest share one', () => {
  const records = new StatementRecords();
  const names = Array.from({ length: 70 }, (_, n) => {
    const table = `${'abcdefghij'[n % 10]}${'klmnopq'[Math.floor(n / 10)]}`;
    return records.of({ name: '', text: `INSERT INTO ${table} VALUES (1)` }).name;
  });
  expect(new Set(names).size).toBe(60);
  expect(names.slice(59)).toEqual(Array.from({ length: 11 }, () => 'other'));
});
