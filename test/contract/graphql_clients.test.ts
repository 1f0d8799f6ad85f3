/** Other people's clients of GraphQL with their defaults, and `GET /graphql`, by which some of them ask. */
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { describe, expect, test } from '@jest/globals';
import {
  type ClientOptions,
  cacheExchange,
  createClient as createUrql,
  fetchExchange,
  Client as UrqlClient,
} from '@urql/core';
import { serverAudits } from 'graphql-http';
import { createClient as createSse } from 'graphql-sse';
import { type Fetched, fetchFrom } from '../kit/fetch.ts';
import { blocksOf } from '../kit/guides.ts';
import { Person } from '../kit/person.ts';
import { sharedService } from '../kit/service.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);
await w.contact({ full_name: 'Ana' });

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
});

describe('the programs of the guide on figures', () => {
  const file = 'src/docs/api/figures.md';
  const programOf = (at: number): string =>
    blocksOf(file, 'js')[at]?.replaceAll('https://127.0.0.1:8443', service.url) ?? '';
  const token = () => w.admin.token;

  test('keep pages of Apollo Client apart', async () => {
    class Link extends HttpLink {
      constructor(options: object) {
        super({ ...options, fetch: fetchFrom(service) });
      }
    }
    const make = new Function(
      ...['ApolloClient', 'HttpLink', 'InMemoryCache', 'token'],
      `${programOf(0)}; return client;`,
    );
    const client: ApolloClient = make(ApolloClient, Link, InMemoryCache, token());
    const named = (name: string) =>
      client.query<{ contacts: { data: readonly { full_name: string }[] } }>({
        query: gql`
          query ($a: Integer!, $q: SearchQuery) {
            contacts(account_id: $a, query: $q) { data { id full_name } }
          }
        `,
        variables: { a: w.accountId, q: { full_name_eq: name } },
      });
    for (const name of ['Ana', 'Bo', 'Ana']) {
      const { data } = await named(name);
      expect(data?.contacts.data).toMatchObject([{ full_name: name }]);
    }
    client.stop();
  });

  test('have urql ask by GET', async () => {
    const noted: Fetched[] = [];
    class Client extends UrqlClient {
      constructor(options: ClientOptions) {
        super({ ...options, fetch: fetchFrom(service, undefined, noted) });
      }
    }
    const make = new Function(
      ...['Client', 'cacheExchange', 'fetchExchange', 'token'],
      `${programOf(1)}; return client;`,
    );
    const client: UrqlClient = make(Client, cacheExchange, fetchExchange, token());
    const { data } = await client
      .query('query ($a: Integer!) { summary(account_id: $a, of: DEALS) { count } }', {
        a: w.accountId,
      })
      .toPromise();
    expect(data).toMatchObject({ summary: [{ count: 0 }] });
    expect(noted.map(({ method, status }) => [method, status])).toEqual([['GET', 200]]);
  });

  test('give Grafana a value for each of its columns', async () => {
    await w.deal();
    const [query = ''] = blocksOf(file, 'json');
    const { url_options, root_selector, columns } = JSON.parse(query);
    const document = url_options.body_graphql_query.replace(
      'account_id: 1',
      `account_id: ${w.accountId}`,
    );
    const answer = await w.graphql.send(document);
    const at = (value: unknown, path: string) =>
      path.split('.').reduce<unknown>((of, step) => Object(of)[step], value);
    const rows = at(answer.body, root_selector);
    expect(rows).toHaveLength(1);
    for (const { selector, type } of columns) {
      const value = at(Object(rows)[0], selector);
      expect([selector, typeof value]).toEqual([selector, type === 'number' ? 'number' : 'string']);
    }
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
