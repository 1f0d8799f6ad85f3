/** What the root fields of one document take together: connections, and values to read. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { limits } from '../../src/graphql/guard/limits.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/wait.ts';
import { type World, world } from '../kit/world.ts';
import { repeat } from './documents.ts';

let service: Service;
let w: World;
beforeAll(async () => {
  service = await startService();
  w = await world(service);
});
afterAll(() => service.close());

test('four are at work at once, whether their document is new or known', async () => {
  const { id } = await w.contact();
  const text = `{ ${repeat(12, (n) => `a${n}: contact(account_id: ${w.accountId}, id: ${id}) { id }`)} }`;
  const all = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`a${n}`, { id }]));
  for (let call = 1; call <= 4; call += 1) {
    const letGo = await service.database.hold('LOCK TABLE contacts IN ACCESS EXCLUSIVE MODE');
    service.statements.length = 0;
    const answer = w.graphql.data(text);
    await until(
      async () => service.statements.length,
      (sent) => sent > 0,
      5000,
    );
    const sent = service.statements.length;
    await letGo();
    expect([call, sent, await answer]).toEqual([call, 4, all]);
    expect(service.statements).toHaveLength(12);
  }
});

describe('one that fails', () => {
  const missing = (path: string, data: object) => ({
    data,
    errors: [
      {
        message: 'Resource could not be found',
        extensions: { code: 'NOT_FOUND', errors: ['Resource could not be found'] },
        path: [path],
      },
    ],
  });

  test('is null, and the others are answered', async () => {
    const { id } = await w.contact();
    const field = (n: number) =>
      `contact(account_id: ${w.accountId}, id: ${n === 3 ? 0 : id}) { id }`;
    const text = `{ ${repeat(12, (n) => `a${n}: ${field(n)}`)} }`;
    const others = Array.from({ length: 12 }, (_, n) => [`a${n}`, n === 3 ? null : { id }]);
    for (let call = 1; call <= 4; call += 1) {
      const { body } = await w.graphql.send(text);
      expect(body).toEqual(missing('a3', Object.fromEntries(others)));
    }
  });

  test('is reported in its place in the document, whichever fails first', async () => {
    const text = `query ($hides: Boolean!) {
      slow: contact(account_id: ${w.accountId}, id: 999999999) { id }
      hidden: contact(account_id: ${w.accountId}, id: 0) @skip(if: $hides) { id }
      ... on Query { quick: contacts(account_id: ${w.accountId}, per_page: 0) { __typename } }
      late: product(account_id: ${w.accountId}, id: 999999999) { id }
    }`;
    for (let call = 1; call <= 4; call += 1) {
      const letGo = await service.database.hold('LOCK TABLE contacts IN ACCESS EXCLUSIVE MODE');
      service.statements.length = 0;
      const answer = w.graphql.send(text, { hides: true });
      await until(
        async () => service.statements.length,
        (sent) => sent > 1,
        5000,
      );
      await letGo();
      const { body } = await answer;
      expect(body?.data).toEqual({ slow: null, quick: null, late: null });
      expect(body?.errors?.map(({ path }) => path)).toEqual([['slow'], ['quick'], ['late']]);
    }
  });

  test('is told once those have ended that had begun, for their work is the request’s', async () => {
    const field = (id: number) => `contact(account_id: ${w.accountId}, id: ${id}) { id }`;
    const { id } = await w.contact();
    const text = `{ wrong: ${field(0)} slow: ${field(id)} }`;
    for (let call = 1; call <= 4; call += 1) {
      const letGo = await service.database.hold('LOCK TABLE contacts IN ACCESS EXCLUSIVE MODE');
      let isLetGo = false;
      const answer = w.graphql.send(text).then(({ body }) => ({ body, isLetGo }));
      await until(
        () =>
          service.database.query(
            `SELECT FROM pg_locks JOIN pg_database AS d ON d.oid = database
             WHERE NOT granted AND datname = current_database()`,
          ),
        (waiting) => waiting.length > 0,
        5000,
      );
      // Whatever was answered before has come by the time that this has.
      await w.rest.get('/pipelines');
      isLetGo = true;
      await letGo();
      const body = missing('wrong', { wrong: null, slow: { id } });
      expect(await answer).toEqual({ body, isLetGo: true });
    }
  });

  test('leaves the writes around it, whose ids are seen', async () => {
    const text = `mutation ($a: Integer!, $other: Integer!, $input: ContactInput!) {
      one: create_contact(account_id: $a, input: $input) { id }
      two: create_contact(account_id: $other, input: $input) { id }
      three: create_contact(account_id: $a, input: $input) { id }
    }`;
    const before = await w.count('contacts');
    for (let call = 1; call <= 4; call += 1) {
      const { body } = await w.graphql.send(text, { a: w.accountId, other: 1, input: {} });
      const written = { id: expect.any(Number) };
      expect(body).toEqual(missing('two', { one: written, two: null, three: written }));
      expect(await w.count('contacts')).toBe(before + 2 * call);
    }
  });

  test.each<[string, string, string]>([
    [
      'VALIDATION_FAILED',
      'create_contact(account_id: $a, input: { email: "nope" }) { id }',
      'is no valid record',
    ],
    [
      'BAD_USER_INPUT',
      'update_contact(account_id: $a, id: $id, input: {}, if_version: "xx") { id }',
      'names no version',
    ],
    [
      'PRECONDITION_FAILED',
      'delete_contact(account_id: $a, id: $id, if_version: "1") { id }',
      'expects another version',
    ],
    [
      'NOT_FOUND',
      'revert_changes(account_id: $a, input: { request_id: "unknown" }) { reverted }',
      'takes back what never was',
    ],
    [
      'VALIDATION_FAILED',
      'delete_pipeline(account_id: $a, id: $pipeline) { id }',
      'still holds deals',
    ],
    [
      'VALIDATION_FAILED',
      'batch_contacts(account_id: $a, operation: "explode", records: []) { summary { failed } }',
      'is no batch',
    ],
  ])('of a mutation with %s leaves the ids before and after: %s', async (code, field, _) => {
    const { id } = await w.contact();
    await w.deal({ contact_id: id });
    const { body } = await w.graphql.send(
      `mutation ($a: Integer!, $id: Integer!, $pipeline: Integer!) {
        unused: update_pipeline(account_id: $a, id: $pipeline, input: {}) { id }
        before: create_contact(account_id: $a, input: {}) { id }
        before_contact: update_contact(account_id: $a, id: $id, input: {}) { id }
        refused: ${field}
        after: create_contact(account_id: $a, input: {}) { id }
      }`,
      { a: w.accountId, id, pipeline: w.pipelineId },
    );
    expect(body.data).toEqual({
      unused: { id: w.pipelineId },
      before: { id: expect.any(Number) },
      before_contact: { id },
      refused: null,
      after: { id: expect.any(Number) },
    });
    expect(body.errors?.map(({ path, extensions }) => [path, extensions.code])).toEqual([
      [['refused'], code],
    ]);
  });

  test.each([
    ['INVALID_SEARCH', 'deals_summary(account_id: $a, time_zone: "Mars/Phobos") { count }'],
    ['INVALID_SEARCH', 'deals_summary(account_id: $a, from: "2026-02-30") { count }'],
    ['INVALID_SEARCH', 'deals_summary(account_id: $a, query: { nam_eq: 1 }) { count }'],
    ['NOT_FOUND', 'pipeline_board(account_id: $a, pipeline_id: 0) { pipeline { id } }'],
    ['NOT_FOUND', 'pipeline_funnel(account_id: $a, pipeline_id: 0) { reached }'],
    ['INVALID_SEARCH', 'contacts(account_id: $a, after: "xx") { data { id } }'],
  ])('as a panel with %s leaves the others of a dashboard: %s', async (code, field) => {
    const { body } = await w.graphql.send(
      `query ($a: Integer!) {
        first: deals_summary(account_id: $a) { count }
        broken: ${field}
        last: all_pipelines(account_id: $a) { data { id } }
      }`,
      { a: w.accountId },
    );
    expect(body.errors?.map(({ path, extensions }) => [path, extensions.code])).toEqual([
      [['broken'], code],
    ]);
    expect(body.data).toEqual({
      first: [{ count: expect.any(Number) }],
      broken: null,
      last: { data: expect.arrayContaining([{ id: w.pipelineId }]) },
    });
  });
});

describe('values in variables', () => {
  const refused = {
    errors: [
      {
        message:
          'The document has more than 100000 values in variables, counted at each use; the limit is 100000',
        extensions: { code: 'BAD_USER_INPUT' },
      },
    ],
  };
  /** A search for ids that holds `values` values, counting objects and lists. */
  const search = (values: number) => {
    const groups: { readonly id_in: readonly number[] }[] = [];
    for (let left = values - 3; left > 0; left -= 1000) {
      groups.push({ id_in: Array.from({ length: Math.min(left, 1000) - 2 }, (_, n) => n + 1) });
    }
    return { g: groups, m: 'or' };
  };
  const page = (query: string) =>
    `contacts(account_id: ${w.accountId}, query: ${query}) { pagination { page } }`;

  test.each<[string, number, () => string]>([
    [
      'in each field',
      20,
      () => `query ($v: SearchQuery) { ${repeat(20, (n) => `a${n}: ${page('$v')}`)} }`,
    ],
    [
      'wherever a fragment is spread',
      4,
      () => `query ($v: SearchQuery) { ...f ... on Query { ...f } ...g }
        fragment f on Query { a: ${page('$v')} }
        fragment g on Query { ...f b: ${page('{g: [$v]}')} }`,
    ],
  ])('count at each use, %s: at the limit, and one past it', async (_, uses, text) => {
    const max = limits.values / uses;
    const within = await w.graphql.send<Record<string, unknown>>(text(), { v: search(max) });
    expect(within.body.errors).toBeUndefined();
    expect((await w.graphql.send(text(), { v: search(max + 1) })).body).toEqual(refused);
  });

  test('do not count when no field uses them', async () => {
    const text = `query ($v: SearchQuery) { ${page('$v')} }`;
    const found = { contacts: { pagination: { page: 1 } } };
    const unused = search(limits.values + 1);
    expect(await w.graphql.data(text, { v: {}, unused })).toEqual(found);
  });
});
