/** A document that is sent again takes a shorter way to its answer, which must be the same to the letter. */
import { ApolloServer } from '@apollo/server';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { startApp } from '../../src/app/app.ts';
import type { Answer } from '../kit/http.ts';
import { Scoped } from '../kit/scoped.ts';
import { type Service, startService } from '../kit/service.ts';
import { type World, world } from '../kit/world.ts';

let service: Service;
let w: World;
let dealId: number;
let narrow: string;
beforeAll(async () => {
  service = await startService({ startApp });
  w = await world(service);
  ({ id: dealId } = await w.deal());
  narrow = await new Scoped(w).token('contacts:read');
});
afterAll(() => service.close());

interface Sent {
  /** The account stands as `$account`, and a deal of it as `$deal`. */
  readonly query: string;
  readonly variables?: unknown;
  readonly operationName?: unknown;
  readonly extensions?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly isNarrow?: boolean;
}

const query = '{ deals(account_id: $account) { data { id name } pagination { count } } }';
const asking = `query ($query: SearchQuery, $page: Integer = 1) {
  deals(account_id: $account, query: $query, page: $page, per_page: 5) { data { id name stage { id } } pagination { count } }
}`;
const renaming = `mutation ($input: DealInput!) {
  update_deal(account_id: $account, id: $deal, input: $input) { id name version }
}`;
const two = `query One { deal(account_id: $account, id: $deal) { id } }
  query Other { deal(account_id: $account, id: $deal) { name } }`;

/** Requests, the status of their answers, and a part of those. */
const requests: Readonly<Record<string, readonly [Sent, number, string]>> = {
  'a query': [{ query }, 200, '"data":{"deals":{"data":[{"id":'],
  'variables that are null': [{ query, variables: null }, 200, '"data":{"deals"'],
  'a search by variables': [
    { query: asking, variables: { query: { status_eq: 'open' } } },
    200,
    '"stage":{"id":',
  ],
  'a variable that is null': [
    { query: asking, variables: { query: null, page: 1 } },
    200,
    '"stage":{"id":',
  ],
  'a null where none may be': [
    {
      query: `query ($id: Integer!) { deal(account_id: $account, id: $id) { id } }`,
      variables: { id: null },
    },
    400,
    'must not be null',
  ],
  'a variable that is missing': [{ query: renaming }, 400, 'was not provided'],
  'a variable of another type': [
    {
      query:
        'query ($on: Boolean!) { deal(account_id: $account, id: $deal) { id @include(if: $on) } }',
      variables: { on: 'yes' },
    },
    400,
    'Boolean cannot represent a non boolean value',
  ],
  'a search that cannot be read': [
    { query: asking, variables: { query: { nmae_eq: 'x' } } },
    200,
    '"code":"INVALID_SEARCH"',
  ],
  'a record that is not there': [
    { query: '{ deal(account_id: $account, id: 999999999) { id } }' },
    200,
    '"code":"NOT_FOUND"',
  ],
  'a mutation': [{ query: renaming, variables: { input: { name: 'Same' } } }, 200, '"name":"Same"'],
  'a mutation that is refused': [
    { query: renaming, variables: { input: { status: 'gone' } } },
    200,
    '"fields":{"status"',
  ],
  'one operation of two': [{ query: two, operationName: 'Other' }, 200, '{"deal":{"name":'],
  'an operation that is not there': [{ query: two, operationName: 'Third' }, 400, 'Third'],
  'no name for one of two': [{ query: two }, 400, 'operation name'],
  'a name that is no text': [{ query: two, operationName: 5 }, 400, 'must be a string'],
  'variables in a list': [{ query, variables: [] }, 400, 'must be an object'],
  'variables in a text': [{ query, variables: '{}' }, 400, 'should be provided as an object'],
  'extensions that are none': [{ query, extensions: 'x' }, 400, '`extensions`'],
  'a hash of another text': [
    { query, extensions: { persistedQuery: { version: 1, sha256Hash: 'abc' } } },
    400,
    'does not match',
  ],
  'a subscription': [
    { query: 'subscription { changes(account_id: $account) { cursor } }' },
    400,
    'Server-Sent Events',
  ],
  'a client of the newer media type': [
    { query, headers: { accept: 'application/graphql-response+json, application/json;q=0.9' } },
    200,
    '"data":{"deals"',
  ],
  'a client that prefers the newer media type': [
    { query, headers: { accept: 'application/json;q=0.5,application/graphql-response+json' } },
    200,
    '"data":{"deals"',
  ],
  'a client of any JSON': [
    { query, headers: { accept: 'application/json, text/plain, */*' } },
    200,
    '"data":{"deals"',
  ],
  'a client of pages alone': [{ query, headers: { accept: 'text/html' } }, 406, 'accept'],
  'a token that may not read it': [{ query, isNarrow: true }, 403, '"code":"INSUFFICIENT_SCOPE"'],
};

let asked = 0;

function send(sent: Sent, of: number): Promise<Answer> {
  const { headers, isNarrow, query, ...beside } = sent;
  const ids = { account: String(w.accountId), deal: String(dealId) } as const;
  const text = query.replace(/\$(account|deal)\b/g, (_, name: keyof typeof ids) => ids[name]);
  return service.client.send({
    method: 'POST',
    path: '/graphql',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${isNarrow ? narrow : w.admin.token}`,
      ...headers,
    },
    // A text that nobody sent before, so that it is new once.
    body: JSON.stringify({ query: `# ${of}\n${text}`, ...beside }),
  });
}

/** What two answers to the same have in common. */
function constant({ status, headers, text }: Answer) {
  const { date, 'x-request-id': id, ...others } = headers;
  const kept = Object.entries(others).filter(([name]) => !name.startsWith('ratelimit'));
  return { status, headers: Object.fromEntries(kept), text };
}

describe('what comes again is answered as it was the first time', () => {
  test.each(Object.entries(requests))('%s', async (_, [sent, status, part]) => {
    const of = asked++;
    const answers: Answer[] = [];
    for (let time = 0; time < 5; time++) answers.push(await send(sent, of));
    const [first, ...others] = answers.map(constant);
    expect(first?.text).toContain(part);
    expect(first?.status).toBe(status);
    for (const other of others) expect(other).toEqual(first);
  });

  test.each(Object.entries(requests))('%s, of a document that is known', async (_, [sent]) => {
    const { query } = sent;
    const [known, unknown] = [asked++, asked++];
    // Whatever comes of these, the text is known afterwards if it is valid.
    for (let time = 0; time < 3; time++) await send({ query, operationName: 'One' }, known);
    for (let time = 0; time < 3; time++) await send({ query }, known);
    const answers = [await send(sent, known), await send(sent, unknown)];
    const [again, first] = answers.map(constant);
    expect(again).toEqual(first);
  });
});

test('Apollo Server is asked twice about a document, and always about what is unusual', async () => {
  const asking = jest.spyOn(ApolloServer.prototype, 'executeHTTPGraphQLRequest');
  const timesAsked = async (sent: Sent) => {
    const of = asked++;
    asking.mockClear();
    for (let time = 0; time < 5; time++) await send(sent, of);
    return asking.mock.calls.length;
  };
  const rename = { query: renaming, variables: { input: { name: 'Same' } } };
  const newer = { accept: 'application/graphql-response+json' };
  try {
    expect(await timesAsked({ query })).toBe(2);
    expect(await timesAsked(rename)).toBe(2);
    expect(await timesAsked({ query, headers: newer })).toBe(5);
    expect(await timesAsked({ ...rename, headers: { 'idempotency-key': 'five' } })).toBe(5);
    expect(await timesAsked({ query: '{ nothing }' })).toBe(5);
  } finally {
    asking.mockRestore();
  }
});
