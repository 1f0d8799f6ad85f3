/** What the suite asks of every statement: that it says of each table which account's rows it means. */
import { expect, test } from '@jest/globals';
import { unbound } from '../kit/shared.ts';

test.each([
  ['a value', 'SELECT FROM deals WHERE account_id = $1 AND id = $2'],
  ['a value with a cast', 'SELECT FROM deals AS d WHERE d.account_id = $1::bigint'],
  [
    'each side of a join',
    'SELECT FROM deals d LEFT JOIN stages s ON s.account_id = $1 AND s.id = d.stage_id WHERE d.account_id = $2',
  ],
  [
    'each table of a list',
    'SELECT FROM deals d, products p WHERE d.account_id = $1 AND p.account_id = $2',
  ],
  [
    'a subquery',
    'SELECT (SELECT count(*) FROM deals AS d WHERE d.account_id = $1) FROM (SELECT FROM contacts WHERE account_id = $2) AS c',
  ],
  ['a row that is written', 'INSERT INTO deals (id, account_id) SELECT 1, $1::bigint FROM place'],
  ['each of several rows', 'INSERT INTO deals (account_id) VALUES ($1), ($2)'],
  [
    'a change',
    'UPDATE deals SET rank = 1 FROM moving WHERE deals.account_id = $1 AND deals.id = moving.id',
  ],
  ['a removal', 'DELETE FROM deals WHERE account_id = $1'],
  ['rows of a WITH query', 'WITH deals AS (SELECT 1) SELECT FROM deals'],
  [
    'both sides of a UNION',
    'SELECT id FROM deals WHERE account_id = $1 UNION SELECT id FROM events WHERE account_id = $1',
  ],
  ['what belongs to nobody', 'SELECT FROM _prisma_migrations, accounts'],
  [
    'who has a token',
    'SELECT FROM api_tokens t JOIN users u ON u.account_id = t.account_id WHERE t.jti = $1',
  ],
])('%s binds', (_, sql) => expect(unbound(sql)).toEqual([]));

test.each([
  ['nothing', 'SELECT FROM deals WHERE id = $1', 'deals deals'],
  [
    'another table’s account',
    'SELECT FROM deals d JOIN stages s ON s.account_id = d.account_id WHERE d.account_id = $1',
    'stages s',
  ],
  [
    'the row around a subquery',
    'SELECT (SELECT s.name FROM stages s WHERE s.account_id = d.account_id) FROM deals d WHERE d.account_id = $1',
    'stages s',
  ],
  ['one case of two', 'SELECT FROM deals WHERE account_id = $1 OR id = $2', 'deals deals'],
  ['another comparison', 'SELECT FROM deals WHERE account_id > $1', 'deals deals'],
  [
    'one side of a UNION',
    'SELECT id FROM deals WHERE account_id = $1 UNION SELECT id FROM events',
    'events events',
  ],
  [
    'an account that a row brings',
    'INSERT INTO deals (account_id) SELECT account_id FROM written',
    'deals deals',
  ],
  ['one row of two', 'INSERT INTO deals (account_id) VALUES ($1), (DEFAULT)', 'deals deals'],
  ['a change within WITH', 'WITH gone AS (DELETE FROM deals WHERE id = $1) SELECT', 'deals deals'],
  [
    'a user beside a deal',
    'SELECT FROM deals d JOIN users u ON u.id = d.created_by_id WHERE d.account_id = $1',
    'users u',
  ],
])('%s does not', (_, sql, missing) => expect(unbound(sql)).toEqual([missing]));
