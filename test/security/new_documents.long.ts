/** A client's documents when they are new and when they come again: what runs them, to the same answer. */
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import * as passthrough from '../../src/graphql/passthrough.ts';
import { type Service, startService } from '../kit/service.ts';
import { type World, world } from '../kit/world.ts';

/** A comment that has graphql-js run a document of which there would be a plan. */
const byGraphqlJs = ' # by graphql-js';
/** Texts of the documents for which a plan was wanted, and whether there is one. */
const plans: (readonly [text: string | undefined, isPlanned: boolean])[] = [];
jest.unstable_mockModule('../../src/graphql/passthrough.ts', () => ({
  planPassthrough: (...[document, operation]: Parameters<typeof passthrough.planPassthrough>) => {
    const text = document.loc?.source.body;
    if (text?.endsWith(byGraphqlJs)) return undefined;
    const plan = passthrough.planPassthrough(document, operation);
    plans.push([text, plan !== undefined]);
    return plan;
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

/** Sends a document four times: the answers as texts. */
async function again(text: string, variables: Readonly<Record<string, unknown>> | string = {}) {
  const answers: string[] = [];
  for (let call = 1; call <= 4; call += 1) {
    answers.push((await w.graphql.send(text, variables)).text);
  }
  return answers;
}

const plansOf = (text: string) =>
  plans.filter(([other]) => other === text).map(([, isPlanned]) => isPlanned);

describe('a document', () => {
  test('is planned once, when it is new', async () => {
    for (const text of [
      `{ ${one} { id full_name } }`,
      `{ ${one} { id full_name @skip(if: false) } }`,
      `{ ${one} { a: id b: id deals { name } } __typename me(account_id: ${w.accountId}) { role } }`,
      `{ contacts(account_id: ${w.accountId}, query: {full_name_eq: "Ana"}) { data { id } } }`,
      `mutation { delete_product(account_id: ${w.accountId}, id: 0) { id } }`,
    ]) {
      await again(text);
      expect(plansOf(text)).toEqual([true]);
    }
  });

  test('is run by graphql-js where it asks what the schema holds, or uses names of every object', async () => {
    for (const text of [
      '{ __type(name: "Deal") { name } }',
      '{ ...q } fragment q on Query { __schema { types { name } } }',
      `{ ${one} { toString: id } }`,
      `query ($constructor: Integer = 1) { deals(account_id: ${w.accountId}, page: $constructor) { data { id } } }`,
    ]) {
      await again(text);
      expect(plansOf(text)).toEqual([false]);
    }
  });

  test('is planned for each of its operations', async () => {
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
    expect(plansOf(text)).toEqual([true, true]);
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

  test('by a new document three times, by a known one never', async () => {
    const text = searches(5);
    const times: number[] = [];
    for (let call = 1; call <= 4; call += 1) {
      times.push(await passes(() => w.graphql.data(text, { q: { name_eq: 'Desk' } })));
    }
    expect(times).toEqual([3, 0, 0, 0]);
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

describe('a document is answered alike, by its plan and by graphql-js', () => {
  const alike = async (
    text: string,
    variables: Readonly<Record<string, unknown>> | string = {},
  ) => {
    const planned = await again(text, variables);
    const resolved = await again(text + byGraphqlJs, variables);
    expect([...planned, ...resolved]).toEqual(planned.concat(planned).fill(planned[0] ?? ''));
    return planned[0];
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

  test.each<[string, (a: number) => string]>([
    [
      'who asks',
      (a) => `{ me(account_id: ${a}) {
        who: user { full_name notifications { on: webpush_notify_on_event_expired __typename } }
        role scopes __typename token { id scopes created_at } session { id } } }`,
    ],
    [
      'users and tokens',
      (
        a,
      ) => `{ users(account_id: ${a}) { data { id notifications { webpush_notify_on_event_expired } } }
        tokens(account_id: ${a}) { data { name scopes user_id user { email } } pagination { count counted } } }`,
    ],
    [
      'changes',
      (a) => `{ changes(account_id: ${a}, limit: 5) {
        data { on: action at before after cursor user_id request_id kind: __typename } next more } }`,
    ],
    [
      'figures',
      (a) => `{ account(account_id: ${a}) { name created_at time_zone version }
        labels(account_id: ${a}) { data { __typename } }
        deals_summary(account_id: ${a}, group_by: [STATUS]) { count status } }`,
    ],
    [
      'the trail, sessions and webhooks',
      (
        a,
      ) => `{ audit_entries(account_id: ${a}, per_page: 3) { data { action before after created_at } }
        sessions(account_id: ${a}) { data { id } } webhooks(account_id: ${a}) { data { id events } } }`,
    ],
    [
      'a value under several names',
      (a) => `{ deals(account_id: ${a}) { data {
        one: id two: id created_at custom_attributes contact: stage { contact: name } stage: contact { labels: label_list }
      } } }`,
    ],
    [
      'fields that are merged',
      (a) => `{ ...q deals(account_id: ${a}) { data { id contact { id } } } }
        fragment q on Query { deals(account_id: ${a}) { pagination { count } data { contact { full_name } } } }`,
    ],
    [
      'fields that are left out',
      (a) => `query ($not: Boolean = true) { deals(account_id: ${a}) {
        data { id name @skip(if: $not) ... @include(if: $not) { status contact { id @skip(if: true) full_name } } }
      } labels(account_id: ${a}) @skip(if: $not) { __typename } }`,
    ],
    ['nothing that is not left out', () => '{ __typename @skip(if: true) }'],
    [
      'deletes that fail',
      (a) => `mutation { delete_deal(account_id: ${a}, id: 0) { id } __typename
        b: delete_user(account_id: ${a}, id: "x") { id } delete_token(account_id: 1, id: 1) { id } }`,
    ],
    [
      'a batch',
      (a) => `mutation { batch_contacts(account_id: ${a}, operation: "update", dry_run: true,
        records: [{id: 1}, {id: 0, email: 5}, null]) {
        results { index status id errors fields conflict } summary { failed updated } } }`,
    ],
  ])('with %s', async (_, text) => {
    expect(await alike(text(w.accountId))).toContain('"data":{');
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
