/** What the suite asks of every statement besides: that Citus takes it. */
import { expect, test } from '@jest/globals';
import { refused } from '../kit/shared.ts';

test.each([
  ['a WITH query with a column', 'WITH known AS (SELECT id FROM deals) SELECT FROM known'],
  ['one that writes', 'WITH gone AS (DELETE FROM deals) SELECT 1'],
  ['one of values', 'WITH given AS (VALUES (1)) SELECT FROM given'],
  ['both sides of a UNION', 'WITH two AS (SELECT 1 UNION SELECT 2) SELECT FROM two'],
  ['a row as text that is read', 'SELECT md5(ROW(name)::text) FROM deals'],
  [
    'one that is read before a write',
    'DELETE FROM deals WHERE id = ANY(ARRAY(SELECT id FROM deals WHERE md5(ROW(name)::text) = $1 FOR UPDATE))',
  ],
  [
    'an item of an array of which a length is made',
    'UPDATE deals SET updated_at = (ARRAY[updated_at, moment()])[1]::timestamptz(3)',
  ],
  [
    'a WITH query that locks rows of a list',
    'WITH held AS (SELECT id FROM deals WHERE id = ANY(ARRAY(SELECT id FROM given)) FOR UPDATE) SELECT id FROM held',
  ],
  ['an item that is changed', 'UPDATE deals SET path[1] = 2'],
  ['an item within a SELECT', 'UPDATE deals SET rank = (SELECT path[1])'],
])('%s is taken', (_, sql) => expect(refused(sql)).toEqual([]));

test.each([
  [
    'a WITH query without columns',
    'WITH known AS (SELECT FROM deals) SELECT 1 WHERE EXISTS (SELECT FROM known)',
    'known has no columns',
  ],
  [
    'a change of a row that is compared as text',
    'WITH written AS (UPDATE deals SET rank = 1 WHERE id = $1 AND (md5(ROW(name)::text))::text = $2) SELECT 1',
    'a row as text in the condition of a write',
  ],
  [
    'a removal of one',
    'DELETE FROM deals WHERE id = $1 AND md5(ROW(name)::text) = ANY($2)',
    'a row as text in the condition of a write',
  ],
  [
    'a WITH query that locks rows of another',
    'WITH held AS (SELECT id FROM deals WHERE a = $1 AND id IN (SELECT id FROM given) FOR UPDATE) SELECT id FROM held',
    'held locks rows that are in another query',
  ],
  [
    'a column that becomes an item of an array',
    'WITH written AS (UPDATE deals SET rank = path[1] WHERE id = $1 RETURNING id) SELECT id FROM written',
    'rank becomes an item of an array',
  ],
  [
    'one that becomes such an item by a cast',
    'UPDATE deals SET rank = path[1]::bigint',
    'rank becomes an item of an array',
  ],
  [
    'one that becomes some of them where there is a row',
    'INSERT INTO deals (path) VALUES ($1) ON CONFLICT (id) DO UPDATE SET path = deals.path[:1]',
    'path becomes an item of an array',
  ],
])('%s is not', (_, sql, fault) => expect(refused(sql)).toEqual([fault]));
