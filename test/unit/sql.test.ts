import { expect, test } from '@jest/globals';
import {
  accountParameter,
  empty,
  join,
  marked,
  name,
  ofAccount,
  raw,
  sql,
  template,
} from '../../src/db/sql/sql.ts';

const told = ({ text, values }: { text: string; values: readonly unknown[] }) => ({ text, values });

test('values are numbered in their order, however deep the piece that holds them', () => {
  const inner = sql`b = ${2} AND ${sql`c = ${[3, 4]}`}`;
  expect(
    told(sql`SELECT ${name('a"b')} WHERE a = ${1} AND ${inner} AND d = ${null}${empty}`),
  ).toEqual({
    text: 'SELECT "a""b" WHERE a = $1 AND b = $2 AND c = $3 AND d = $4',
    values: [1, 2, [3, 4], null],
  });
});

test('lists have a separator between each two, and no list is empty', () => {
  expect(told(sql`SELECT ${join([1, 2, raw('now()')])}`)).toEqual({
    text: 'SELECT $1,$2,now()',
    values: [1, 2],
  });
  expect(told(join([sql`a = ${1}`, sql`b = ${2}`], ' AND '))).toEqual({
    text: 'a = $1 AND b = $2',
    values: [1, 2],
  });
  expect(() => join([])).toThrow(TypeError);
});

test('statements with the same pieces elsewhere have texts of their own', () => {
  const statement = (one: unknown, other: unknown) => sql`SELECT ${one} AS one, ${other} AS other`;
  const piece = (value: unknown) => sql`(${value} + 1)`;
  const listed = (parts: readonly unknown[]) => sql`SELECT ${join(parts)} AS one, ${7} AS other`;
  const all = [
    statement(1, piece(2)),
    statement(piece(1), 2),
    statement(piece(1), piece(2)),
    statement(piece(piece(1)), 2),
    statement(piece(1), raw('(2)')),
    statement(raw('(2)'), piece(1)),
    statement(1, 2),
    listed([1, 2]),
    listed([1]),
    listed([piece(1), 2]),
    listed([1, piece(2)]),
  ];
  for (const _ of [1, 2]) {
    expect(all.map(({ text }) => text)).toEqual([
      'SELECT $1 AS one, ($2 + 1) AS other',
      'SELECT ($1 + 1) AS one, $2 AS other',
      'SELECT ($1 + 1) AS one, ($2 + 1) AS other',
      'SELECT (($1 + 1) + 1) AS one, $2 AS other',
      'SELECT ($1 + 1) AS one, (2) AS other',
      'SELECT (2) AS one, ($1 + 1) AS other',
      'SELECT $1 AS one, $2 AS other',
      'SELECT $1,$2 AS one, $3 AS other',
      'SELECT $1 AS one, $2 AS other',
      'SELECT ($1 + 1),$2 AS one, $3 AS other',
      'SELECT $1,($2 + 1) AS one, $3 AS other',
    ]);
  }
});

test('a piece stays what it was within another, for each account', () => {
  const inner = sql`b = ${2} AND c IN (${join([3, [4], sql`d + ${null}`])})`;
  const whole = sql`SELECT ${name('a')}${empty} WHERE a = ${accountParameter} AND ${inner} AND ${ofAccount(sql`e = ${accountParameter}`, 9)}`;
  expect(told(sql`${1}, (${ofAccount(whole, 7)}), ${ofAccount(whole, 8)}`)).toEqual({
    text: '$1, (SELECT "a" WHERE a = $2 AND b = $3 AND c IN ($4,$5,d + $6) AND e = $7), SELECT "a" WHERE a = $8 AND b = $9 AND c IN ($10,$11,d + $12) AND e = $13',
    values: [1, 7, 2, 3, [4], null, 9, 8, 2, 3, [4], null, 9],
  });
});

test('a template has one place for each parameter, and its constants behind them', () => {
  const id = Symbol('id');
  const composed = sql`SELECT ${1}::int WHERE id = ${id} AND account_id = ${accountParameter} OR ${id} < ${2}`;
  const { text, of } = template(composed, [accountParameter, id]);
  expect(text).toBe('SELECT $3::int WHERE id = $2 AND account_id = $1 OR $2 < $4');
  expect(of([7, 8])).toEqual({ text, values: [7, 8, 1, 2] });
  expect(of([9, 10])).toEqual({ text, values: [9, 10, 1, 2] });
});

test('marked SQL has another symbol for each value, but the account', () => {
  const { sql: composed, parameters } = marked(
    sql`a = ${1} AND account_id = ${accountParameter} AND (b = ${1} OR b = ${2})`,
  );
  const { of } = template(sql`SELECT WHERE ${composed}`, [accountParameter, ...parameters]);
  expect(of([7, 1, 2, 3])).toEqual({
    text: 'SELECT WHERE a = $2 AND account_id = $1 AND (b = $3 OR b = $4)',
    values: [7, 1, 2, 3],
  });
});
