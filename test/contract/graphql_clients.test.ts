/** Other people's clients of GraphQL with their defaults, and `GET /graphql`, by which some of them ask. */
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { cacheExchange, createClient as createUrql, fetchExchange } from '@urql/core';
import { serverAudits } from 'graphql-http';
import { createClient as createSse } from 'graphql-sse';
import { type Fetched, fetchFrom } from '../kit/fetch.ts';
import { Person } from '../kit/person.ts';
import { type Service, startService } from '../kit/service.ts';
import { type World, world } from '../kit/world.ts';

let service: Service;
let w: World;
beforeAll(async () => {
  service = await startService();
  w = await world(service);
  await w.contact({ full_name: 'Ana' });
});
afterAll(() => service.close());

const byGet = (given: Readonly<Record<string, string>>, headers: Record<string, string> = {}) =>
  service.client.send<Record<string, unknown>>({
    method: 'GET',
    path: `/graphql?${new URLSearchParams(given)}`,
    headers: { authorization: `Bearer ${w.admin.token}`, ...headers },
  });

describe('GET /graphql', () => {
  const query = 'query Contacts($a: Integer!) { contacts(account_id: $a) { data { full_name } } }';
  const given = () => ({ query, variables: JSON.stringify({ a: w.accountId }) });
  const data = { contacts: { data: [{ full_name: 'Ana' }] } };

  test('answers a query, with a tag by which it is not sent again', async () => {
    const answer = await byGet(given());
    expect([answer.status, answer.body]).toEqual([200, { data }]);
    expect(answer.headers['cache-control']).toBe('no-store');
    const etag = String(answer.headers.etag);
    expect(etag).toMatch(/^"[\w-]+"$/);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const again = await byGet(given(), { 'if-none-match': known });
      expect([again.status, again.text, again.headers.etag]).toEqual([304, '', etag]);
    }
    await w.contact({ full_name: 'Bo' });
    const changed = await byGet(given(), { 'if-none-match': etag });
    expect(changed.status).toBe(200);
    expect(changed.headers.etag).not.toBe(etag);
    const named = await byGet({
      query: `${query} query Other { __typename }`,
      operationName: 'Other',
    });
    expect(named.body).toEqual({ data: { __typename: 'Query' } });
  });

  test('refuses mutations, subscriptions, what is no document, and what is too long', async () => {
    const before = await w.count('contacts');
    const mutation = `mutation { create_contact(account_id: ${w.accountId}, input: {}) { id } }`;
    const refused = await byGet({ query: mutation });
    expect([refused.status, refused.headers.allow]).toEqual([405, 'POST']);
    const both = await byGet({
      query: `${mutation.replace('mutation', 'mutation M')} ${query}`,
      operationName: 'M',
    });
    expect(both.status).toBe(405);
    expect(await w.count('contacts')).toBe(before);
    const subscription = `subscription { deals_summary(account_id: ${w.accountId}) { count } }`;
    for (const text of [subscription, '{', `{ __typename ${'id '.repeat(1)} }`]) {
      const answer = await byGet({ query: text });
      expect([text.slice(0, 20), answer.status]).toEqual([text.slice(0, 20), expect.any(Number)]);
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.body).toEqual({ errors: [expect.anything()] });
      expect(answer.headers.etag).toBeUndefined();
    }
    for (const wrong of [
      {},
      { query, variables: '{' },
      { query, variables: '[]' },
      { query, extensions: '1' },
    ]) {
      expect((await byGet(wrong)).status).toBe(400);
    }
  });

  test('takes a token, and never the cookie of a browser', async () => {
    expect((await byGet(given(), { authorization: '' })).status).toBe(401);
    const { email } = await w.user();
    const person = new Person(service.client);
    expect(await person.signIn(email)).toAnswer(201);
    const path = `/graphql?${new URLSearchParams(given())}`;
    expect((await person.send('GET', path)).status).toBe(401);
    expect((await person.graphql(query, { a: w.accountId })).status).toBe(200);
  });
});

describe('clients with their defaults', () => {
  test('urql asks by GET, and gets refusals as it expects them', async () => {
    const noted: Fetched[] = [];
    const client = createUrql({
      url: `${service.url}/graphql`,
      exchanges: [cacheExchange, fetchExchange],
      fetch: fetchFrom(service, w.admin.token, noted),
      preferGetMethod: true,
    });
    const variables = { a: w.accountId };
    const form =
      'query ($a: Integer!, $q: SearchQuery) { deals(account_id: $a, query: $q) { pagination { count } } }';
    const { data, error } = await client.query(form, variables).toPromise();
    expect([data, error]).toEqual([
      { deals: expect.objectContaining({ pagination: expect.objectContaining({ count: 0 }) }) },
      undefined,
    ]);
    const wrong = await client.query(form, { ...variables, q: { x_eq: 1 } }).toPromise();
    expect(wrong.error?.graphQLErrors[0]?.extensions).toMatchObject({ code: 'INVALID_SEARCH' });
    const created = await client
      .mutation(
        'mutation ($a: Integer!) { create_contact(account_id: $a, input: {}) { id } }',
        variables,
      )
      .toPromise();
    expect(created.error).toBeUndefined();
    expect(noted.map(({ method, status }) => [method, status])).toEqual([
      ['GET', 200],
      ['GET', 200],
      ['POST', 200],
    ]);
  });

  test('graphql-sse tells what a subscription was refused for once, and asks once', async () => {
    const noted: Fetched[] = [];
    const client = createSse({
      url: `${service.url}/graphql/stream`,
      fetchFn: fetchFrom(service, w.admin.token, noted),
    });
    const answers = async (query: string) => {
      const found: unknown[] = [];
      for await (const answer of client.iterate({ query })) found.push(answer);
      return found;
    };
    const wrong = 'subscription { deals_summary(account_id: 1, group_by: [NAME]) { count } }';
    expect(await answers(wrong)).toEqual([
      { errors: [expect.objectContaining({ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } })] },
    ]);
    expect(await answers('subscription {')).toEqual([{ errors: [expect.anything()] }]);
    expect(noted.map(({ status }) => status)).toEqual([200, 200]);
    client.dispose();
  });

  test('Apollo Client keeps pages apart by their query, as the guide says', async () => {
    const client = new ApolloClient({
      link: new HttpLink({
        uri: `${service.url}/graphql`,
        fetch: fetchFrom(service, w.admin.token),
      }),
      cache: new InMemoryCache({
        typePolicies: {
          Query: { fields: { contacts: { keyArgs: ['account_id', 'query', 'per_page'] } } },
        },
      }),
    });
    const form = gql`
      query ($a: Integer!) {
        contacts(account_id: $a, query: { full_name_eq: "Ana" }) { data { id full_name } }
      }
    `;
    const { data } = await client.query({ query: form, variables: { a: w.accountId } });
    expect(data).toMatchObject({ contacts: { data: [{ full_name: 'Ana' }] } });
    client.stop();
  });
});

test('the audit of GraphQL over HTTP wishes for nothing but other statuses of refusals in plain JSON', async () => {
  const audits = serverAudits({
    url: `${service.url}/graphql`,
    fetchFn: fetchFrom(service, w.admin.token),
  });
  const results = await Promise.all(audits.map((audit) => audit.fn()));
  const found = results.filter(({ status }) => status !== 'ok');
  // A program that reads statuses alone is told by 400 that nothing was run.
  expect(found.map(({ status, name }) => `${status}: ${name}`)).toEqual([
    'warn: SHOULD use 200 status code on document parsing failure when accepting application/json',
    'warn: SHOULD use 200 status code on document validation failure when accepting application/json',
    'warn: SHOULD use a status code of 200 on variable coercion failure when accepting application/json',
  ]);
});
