/** REST and GraphQL are two doors into one house: the same call comes to the same through both. */
import { describe, expect, test } from '@jest/globals';
import { isLong, sample } from '../kit/sample.ts';
import { sharedService } from '../kit/service.ts';
import { shipped } from '../kit/shared.ts';
import { tables } from '../kit/tables.ts';
import { type World, world } from '../kit/world.ts';
import { alike, viaGraphql, viaRest } from './call.ts';
import { cases } from './cases.ts';

const { routes } = await shipped<typeof import('../../src/rest/routes.ts')>('rest/routes.js');

const service = await sharedService();

/** Everything that the account holds, brought to one form. */
async function left({ accountId }: World): Promise<unknown> {
  const [row] = await service.database.query<{ all: unknown }>(
    `SELECT json_build_object(${tables
      .map(
        (table) =>
          `'${table}', (SELECT coalesce(json_agg(${rowOf(table)}), '[]') FROM ${table} AS t WHERE account_id = $1)`,
      )
      .join()}) AS all`,
    [accountId],
  );
  return alike(row?.all);
}

/**
 * A row, and its place among the others. What a statement removes comes in any order; ids say nothing where they are of
 * several tables, whose numbers grow apart, nor does the order of changes where a busy server had a batch done in parts.
 */
const rowOf = (table: string): string =>
  table === 'audit_entries'
    ? `to_jsonb(t) - 'id' ORDER BY action LIKE '%.delete',
        CASE WHEN action LIKE '%.delete' THEN record_type END, CASE WHEN action LIKE '%.delete' THEN record_id END, id`
    : "to_jsonb(t) - 'password_hash' ORDER BY id";

/** By operation, whether calls of it succeeded. */
const outcomes = new Map<string, Set<boolean>>();

const table = sample(cases, 3).map((each) => ({
  ...each,
  title: `${each.operation}: ${each.name}`,
}));

describe('the same call through both doors', () => {
  test.each(table)('$title', async ({ operation, call, as = 'admin' }) => {
    const [first, second] = [await world(service), await world(service)];
    const rest = await viaRest(first, first[as].token, operation, await call(first));
    const graphql = await viaGraphql(second, second[as].token, operation, await call(second));
    expect(rest.status).toBeLessThan(500);
    outcomes.set(operation, (outcomes.get(operation) ?? new Set()).add(rest.status < 400));
    expect(alike(graphql)).toEqual(alike(rest));
    expect(await left(second)).toEqual(await left(first));
  });
});

/** Operations that take nothing to be refused for. */
const certain = ['all_pipelines', 'account', 'me'];

describe('every operation has a case', () => {
  test.each([...new Set(routes.map((route) => route.operation))])('%s', (operation) => {
    expect(cases.map((each) => each.operation)).toContain(operation);
  });

  if (isLong) {
    test('one that succeeds and, where it can be refused, one that is refused', () => {
      const lacking = [...outcomes].filter(
        ([operation, kinds]) => kinds.size < 2 && !certain.includes(operation),
      );
      expect(lacking.map(([operation]) => operation)).toEqual([]);
    });
  }
});
