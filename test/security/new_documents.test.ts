/** A client's documents when they are new and when they come again: what is made of them. */
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import * as jit from 'graphql-jit';
import { type Service, startService } from '../kit/service.ts';
import { type World, world } from '../kit/world.ts';

/** Texts of the documents that were compiled. */
const compiled: (string | undefined)[] = [];
jest.unstable_mockModule('graphql-jit', () => ({
  ...jit,
  compileQuery: (...given: Parameters<typeof jit.compileQuery>) => {
    compiled.push(given[1].loc?.source.body);
    return jit.compileQuery(...given);
  },
}));
const { startApp } = await import('../../src/app/app.ts');
const { eventLoopQueue } = await import('../../src/lib/event_loop_queue.ts');

let service: Service;
let w: World;
let contactId: number;
let one: string;
beforeAll(async () => {
  service = await startService({ startApp });
  w = await world(service);
  ({ contact_id: contactId } = await w.deal({ name: 'Desk' }));
  await w.rest.put(`/contacts/${contactId}`, { full_name: 'Ana', label_list: 'a,b' });
  one = `contact(account_id: ${w.accountId}, id: ${contactId})`;
});
afterAll(() => service.close());

const timesCompiled = (text: string) => compiled.filter((other) => other === text).length;

/** Sends a document four times: the answers as texts, and how often it was compiled after each. */
async function again(text: string, variables: Readonly<Record<string, unknown>> | string = {}) {
  const answers: string[] = [];
  const times: number[] = [];
  for (let call = 1; call <= 4; call += 1) {
    answers.push((await w.graphql.send(text, variables)).text);
    // What the account began before has passed by then.
    await eventLoopQueue.waitForTurn(w.accountId);
    times.push(timesCompiled(text));
  }
  return { answers, times };
}

describe('a document', () => {
  test('is compiled when it comes again, and once', async () => {
    const { times } = await again(`{ ${one} { id full_name @skip(if: false) } }`);
    expect(times).toEqual([0, 1, 1, 1]);
  });

  test('is compiled at once when it may resolve more than a thousand records', async () => {
    const { times } = await again(
      `{ contacts(account_id: ${w.accountId}, per_page: 100) { data { deals(limit: 10) { id @skip(if: false) } } } }`,
    );
    expect(times).toEqual([1, 1, 1, 1]);
  });

  test('of one root field with records alone is never compiled: the database writes them', async () => {
    const { answers, times } = await again(`{ ${one} { id full_name } }`);
    expect(answers[3]).toBe(`{"data":{"contact":{"id":${contactId},"full_name":"Ana"}}}`);
    expect(times).toEqual([0, 0, 0, 0]);
  });

  test('that asks what the schema holds, or has objects in its text, is never compiled', async () => {
    for (const text of [
      '{ __type(name: "Deal") { name } }',
      '{ ...q } fragment q on Query { __schema { types { name } } }',
      `{ contacts(account_id: ${w.accountId}, query: {full_name_eq: "Ana"}) { data { id } } }`,
    ]) {
      expect((await again(text)).times).toEqual([0, 0, 0, 0]);
    }
  });

  test('each of whose operations is compiled by itself', async () => {
    const text = `query a { ${one} { id @skip(if: false) } } query b { ${one} { full_name } }`;
    const send = (operationName: string) =>
      service.client.send<{ data: unknown }>({
        method: 'POST',
        path: '/graphql',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${w.admin.token}` },
        body: JSON.stringify({ query: text, operationName }),
      });
    for (let call = 1; call <= 3; call += 1) {
      expect((await send('a')).body.data).toEqual({ contact: { id: contactId } });
      expect((await send('b')).body.data).toEqual({ contact: { full_name: 'Ana' } });
    }
    await eventLoopQueue.waitForTurn(w.accountId);
    expect(timesCompiled(text)).toBe(2);
  });
});

describe('a turn of the event loop is waited for', () => {
  const searches = (times: number) =>
    `query ($q: SearchQuery) { ${Array.from({ length: times }, (_, n) => `a${n}: deals(account_id: ${w.accountId}, query: $q) { data { id } }`).join(' ')} }`;
  const passes = async (work: () => Promise<unknown>) => {
    const pass = jest.spyOn(eventLoopQueue, 'waitForTurn');
    await work();
    const { length } = pass.mock.calls;
    pass.mockRestore();
    return length;
  };

  test('by a new document three times, by a known one only to be compiled', async () => {
    const text = searches(5);
    const times: number[] = [];
    for (let call = 1; call <= 4; call += 1) {
      times.push(await passes(() => w.graphql.data(text, { q: { name_eq: 'Desk' } })));
    }
    expect(times).toEqual([3, 1, 0, 0]);
  });

  test('by each field that reads what is long, however well the document is known', async () => {
    const text = searches(6);
    await again(text);
    const q = { id_in: Array.from({ length: 200 }, (_, n) => n + 1) };
    expect(await passes(() => w.graphql.data(text, { q }))).toBe(6);
    expect(await passes(() => w.graphql.data(text, { q: { id_in: q.id_in.slice(100) } }))).toBe(0);
  });

  test('by a body of more than 64 KB, of REST too', async () => {
    const search = (bytes: number) =>
      w.rest.post('/contacts/search', { ignored: 'x'.repeat(bytes) });
    expect(await passes(() => search(64 * 1024))).toBe(1);
    expect(await passes(() => search(63 * 1024))).toBe(0);
  });

  test('by whoever asks what the schema holds', async () => {
    const text = '{ __type(name: "Contact") { name } }';
    await again(text);
    expect(await passes(() => w.graphql.data(text))).toBe(1);
  });
});

/** Names that every object of JavaScript has, and two that some look for. */
const names = [...Object.getOwnPropertyNames(Object.prototype), 'toJSON', 'then'];

describe('a document is answered alike, interpreted and compiled', () => {
  const alike = async (
    text: string,
    variables: Readonly<Record<string, unknown>> | string = {},
  ) => {
    const { answers } = await again(text, variables);
    expect(answers).toEqual(answers.map(() => answers[0]));
    return answers[0];
  };

  test.each(names)('with leaves, records and lists under the alias %s', async (name) => {
    expect(await alike(`{ ${one} { ${name}: full_name id } }`)).toBe(
      `{"data":{"contact":{"${name}":"Ana","id":${contactId}}}}`,
    );
    expect(
      await alike(`{ ${name}: ${one} { deals { ${name}: contact { ${name}: full_name } } } }`),
    ).toBe(`{"data":{"${name}":{"deals":[{"${name}":{"${name}":"Ana"}}]}}}`);
    expect(await alike(`{ ${one} { ${name}: deals { name } labels: label_list } }`)).toBe(
      `{"data":{"contact":{"${name}":[{"name":"Desk"}],"labels":["a","b"]}}}`,
    );
    expect(await alike(`{ ${name}: __typename }`)).toBe(`{"data":{"${name}":"Query"}}`);
  });

  test.each(names)('with a variable, a fragment and an operation called %s', async (name) => {
    const page = `contacts(account_id: ${w.accountId}, per_page: $${name})`;
    const text = `query ${name}($${name}: Integer = 2) { ${page} { ...${name} } }
      fragment ${name} on ContactPage { pagination { items } }`;
    const found = '{"data":{"contacts":{"pagination":{"items":1}}}}';
    expect(await alike(text)).toBe(found);
    expect(await alike(text, `{"${name}":1}`)).toBe(found);
    expect(await alike(text, `{"${name}":"x"}`)).toContain('INVALID_SEARCH');
  });

  test.each([
    'true',
    '1.5',
    '"x"',
    '[]',
    '[{}]',
    '{"full_nam":1}',
    '{"full_name":{"a":1}}',
    'null',
    '12345678901234567890',
  ])('with %s for every kind of variable', async (value) => {
    const a = w.accountId;
    const mutation = `mutation ($a: Integer!, $i: ContactInput!) { update_contact(account_id: $a, id: 1, input: $i) { id } }`;
    await alike(mutation, `{"a":${a},"i":${value}}`);
    await alike(mutation, `{"a":${value},"i":{}}`);
    await alike(mutation, `{"i":${value}}`);
    const groups = `query ($g: [DealGrouping!]! = [STATUS], $m: DealMoment! = created_at) {
      deals_summary(account_id: ${a}, group_by: $g, on: $m) { count } }`;
    await alike(groups, `{"g":${value},"m":${value}}`);
    await alike(groups, `{"g":[${value}]}`);
    await alike('query ($b: Boolean!) { __typename @include(if: $b) }', `{"b":${value}}`);
    await alike(
      `query ($q: SearchQuery) { deals(account_id: ${a}, query: $q) { data { id } } }`,
      `{"q":${value}}`,
    );
    await alike(
      `query ($n: Integer = 3) { deals(account_id: ${a}, page: $n) { data { id } } }`,
      `{"n":${value}}`,
    );
  });

  test('when fields fail', async () => {
    const text = `{ a: ${one} { id } b: contact(account_id: 1, id: 1) { id } c: ${one} { id } }`;
    const error =
      '{"message":"Resource could not be found","extensions":{"code":"NOT_FOUND","errors":["Resource could not be found"]},"path":["b"]}';
    expect(await alike(text)).toBe(
      `{"errors":[${error}],"data":{"a":{"id":${contactId}},"b":null,"c":{"id":${contactId}}}}`,
    );
  });
});

test.each(['contacts(account_id: $n)', 'deals_summary(account_id: $n)'])(
  'a variable that is null where %s needs a value is the fault of the client',
  async (field) => {
    const text = `query ($n: Integer = 1) { ${field} { __typename } }`;
    expect((await w.graphql.send(text, { n: null })).body).toEqual({
      errors: [
        {
          message: 'Variable "$n" must not be null: it is used where a value is needed.',
          extensions: { code: 'BAD_USER_INPUT' },
        },
      ],
    });
  },
);
