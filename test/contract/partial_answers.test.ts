/** A GraphQL document of several fields at its root answers those that it can, and says which it cannot. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { buildSchema, isNonNullType } from 'graphql';
import { sharedService } from '../kit/service.ts';
import { world } from '../kit/world.ts';

const schema = buildSchema(readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8'));

const service = await sharedService();
const w = await world(service);

test('no field at the root takes its neighbours with it when it is refused', () => {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const strict = roots.flatMap((root) =>
    Object.values(root?.getFields() ?? {}).flatMap(({ name, type }) =>
      isNonNullType(type) ? name : [],
    ),
  );
  expect(strict).toEqual([]);
});

test('what the fields beside a refused one wrote stays, and their ids are seen', async () => {
  const create = (as: string, input: string) =>
    `${as}: create_contact(account_id: ${w.accountId}, input: {${input}}) { id }`;
  const { status, body } = await w.graphql.send<Record<string, { readonly id: number } | null>>(
    `mutation { ${create('first', 'full_name: "First"')} ${create('refused', 'email: "none"')}
      gone: delete_product(account_id: ${w.accountId}, id: 0) { id } ${create('last', 'full_name: "Last"')} }`,
  );
  expect([status, body]).toEqual([
    200,
    {
      data: {
        first: { id: expect.any(Number) },
        refused: null,
        gone: null,
        last: { id: expect.any(Number) },
      },
      errors: [
        expect.objectContaining({
          path: ['refused'],
          extensions: expect.objectContaining({
            code: 'VALIDATION_FAILED',
            fields: { email: ['is invalid'] },
          }),
        }),
        expect.objectContaining({
          path: ['gone'],
          extensions: expect.objectContaining({ code: 'NOT_FOUND' }),
        }),
      ],
    },
  ]);
  for (const as of ['first', 'last']) {
    expect(await w.rest.get(`/contacts/${body.data?.[as]?.id}`)).toMatchObject({ status: 200 });
  }
});

test('one broken panel leaves a dashboard its others', async () => {
  const account = `account_id: ${w.accountId}`;
  const { body } = await w.graphql.send(
    `{ whole: summary(${account}, of: USERS) { count }
      summary: summary(${account}, of: DEALS, by: ["stag_id"]) { count }
      deals: deals(${account}, query: {nmae_eq: "x"}) { pagination { count } }
      funnel: pipeline_funnel(${account}, pipeline_id: 0) { reached }
      board: pipeline_board(${account}, pipeline_id: ${w.pipelineId}, per_stage: 0) { stages { count } }
      other: contacts(account_id: 0) { pagination { count } }
      labels: labels(${account}) { pagination { count } } }`,
  );
  expect(body).toEqual({
    data: {
      whole: [{ count: 2 }],
      summary: null,
      deals: null,
      funnel: null,
      board: null,
      other: null,
      labels: { pagination: { count: 0 } },
    },
    errors: expect.arrayContaining(
      ['summary', 'deals', 'funnel', 'board', 'other'].map((path) =>
        expect.objectContaining({ path: [path] }),
      ),
    ),
  });
});
