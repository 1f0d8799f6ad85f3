import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { buildSchema, getIntrospectionQuery, parse } from 'graphql';
import { limits } from '../../src/graphql/guard/limits.ts';
import type { GraphqlBody } from '../kit/graphql.ts';
import type { Answer } from '../kit/http.ts';
import { sharedService, startService } from '../kit/service.ts';
import { world } from '../kit/world.ts';
import { nested, repeat } from './documents.ts';

const schema = buildSchema(readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8'));
const service = await sharedService();
const w = await world(service);
const { contact_id: contactId } = await w.deal();

const contact = (fields: string) =>
  `{ contact(account_id: ${w.accountId}, id: ${contactId}) { ${fields} } }`;

interface Refusal {
  readonly status: number;
  readonly message: string | undefined;
  readonly code: string | undefined;
}

const refusal = ({ status, body }: Answer<GraphqlBody<unknown>>): Refusal => ({
  status,
  message: body?.errors?.[0]?.message,
  code: body?.errors?.[0]?.extensions.code,
});

/** A document with exactly `tokens` tokens and few fields. */
function ofTokens(tokens: number): string {
  let text = contact(
    repeat(Math.floor(tokens / 14) - 1, () => 'events(limit: 1, offset: 0) { id }'),
  );
  while ((parse(text).tokenCount ?? 0) < tokens) text = text.replace(/\} \}$/, 'id } }');
  expect(parse(text).tokenCount).toBe(tokens);
  return text;
}

const atAndPast: readonly (readonly [string, number, (n: number) => string, string])[] = [
  ['depth', limits.depth, (n) => contact(nested(n - 1)), '13 levels of fields; the limit is 12'],
  [
    'aliases',
    limits.aliases,
    (n) => contact(repeat(n, (at) => `a${at}: id`)),
    '31 aliases; the limit is 30',
  ],
  [
    'root fields',
    limits.rootFields,
    (n) => `{ ${repeat(n, () => '__typename')} }`,
    '21 root fields; the limit is 20',
  ],
  [
    'directives',
    limits.directives,
    (n) => contact(`id ${repeat(n, () => 'id @skip(if: false)')}`),
    '51 directives; the limit is 50',
  ],
  [
    'levels of introspection',
    limits.introspection,
    (n) => `{ __type(name: "Deal") { ${'ofType { '.repeat(n - 1)} name ${'} '.repeat(n - 1)} } }`,
    '21 levels of introspection; the limit is 20',
  ],
  [
    'values of introspection',
    limits.described,
    (n) => {
      // The schema is one, each type is one and each name of each.
      const types = Object.keys(schema.getTypeMap()).length;
      const names = Math.floor((n - 1) / types) - 1;
      const rest = n - 1 - types * (1 + names);
      return `{ __schema { types { ${repeat(names, () => 'name')} } ${repeat(rest, () => 'description')} } }`;
    },
    '15001 values of introspection; the limit is 15000',
  ],
  [
    'fields',
    limits.fields,
    (n) => {
      const root = (at: number, fields: string) =>
        `a${at}: contact(account_id: ${w.accountId}, id: ${contactId}) { ...ten ...ten ${fields} }`;
      const fields = n - 10 * 21;
      return `{ ${repeat(10, (at) =>
        root(
          at,
          repeat(at === 0 ? fields - 9 * 70 : 70, () => 'id'),
        ),
      )} }
        fragment ten on Contact { ${repeat(10, () => 'id')} }`;
    },
    '1001 fields with its fragments opened; the limit is 1000',
  ],
];

describe('limits of a document', () => {
  test.each(atAndPast)(
    '%s: at the limit, and one past it',
    async (_, allowed, document, message) => {
      const within = await w.graphql.send(document(allowed));
      expect(within.body.errors).toBeUndefined();
      expect(refusal(await w.graphql.send(document(allowed + 1)))).toEqual({
        status: 400,
        message: `The document has ${message}`,
        code: 'GRAPHQL_VALIDATION_FAILED',
      });
    },
  );

  test('tokens: at the limit, and one past it', async () => {
    const within = await w.graphql.send(ofTokens(limits.tokens));
    expect(within.body.errors).toBeUndefined();
    expect(refusal(await w.graphql.send(ofTokens(limits.tokens + 1)))).toEqual({
      status: 400,
      message: 'The document has more than 2000 tokens; the limit is 2000',
      code: 'GRAPHQL_PARSE_FAILED',
    });
  });

  const wholeSchema = getIntrospectionQuery({
    specifiedByUrl: true,
    directiveIsRepeatable: true,
    schemaDescription: true,
    inputValueDeprecation: true,
    oneOf: true,
  });

  test('GraphiQL and generators may ask for the whole schema', async () => {
    for (const document of [getIntrospectionQuery(), wholeSchema]) {
      const { body } = await w.graphql.send(document);
      expect(body).toEqual({ data: { __schema: expect.anything() } });
    }
  });

  test('introspection counts wherever it stands: roots, lists within lists, fragments, variables', async () => {
    const ofAll = 'types { fields { type { fields { name args { name type { name } } } } } }';
    const large = [
      `{ ${repeat(20, (n) => `a${n}: __schema { types { fields { name type { fields { name } } } } }`)} }`,
      `{ __schema { ${repeat(20, (n) => `a${n}: ${ofAll}`)} } }`,
      `{ __schema { types { ${repeat(29, (n) => `a${n}: fields { type { name ...t } }`)} } } }
       fragment t on __Type { fields { name type { name } } }`,
      `query ($n: String!) { ${repeat(20, (n) => `a${n}: __type(name: $n) { ...t ...t ...t }`)} }
       fragment t on __Type { fields { args { name type { name } } type { fields { name args { name } } } } }`,
    ];
    for (const document of large) {
      expect(refusal(await w.graphql.send(document, { n: 'Query' }))).toEqual({
        status: 400,
        message: expect.stringMatching(
          /^The document has \d{5,} values of introspection; the limit is 15000$/,
        ),
        code: 'GRAPHQL_VALIDATION_FAILED',
      });
    }
  });

  test('several at once are all told', async () => {
    const { body } = await w.graphql.send(
      contact(`${nested(limits.depth)} ${repeat(limits.aliases + 1, (n) => `a${n}: id`)}`),
    );
    expect(body.errors?.map((error) => error.message)).toEqual([
      'The document has 13 levels of fields; the limit is 12',
      'The document has 31 aliases; the limit is 30',
    ]);
  });

  test('of many mistakes the first twenty are told', async () => {
    const { body } = await w.graphql.send(contact(repeat(100, (n) => `full_nam${n}`)));
    expect(body.errors?.map((error) => error.message)).toEqual([
      ...Array.from({ length: 20 }, (_, n) => expect.stringContaining(`"full_nam${n}"`)),
      'Too many validation errors, error limit reached. Validation aborted.',
    ]);
  });

  test('depth counts through fragments', async () => {
    const document = `{ contact(account_id: ${w.accountId}, id: ${contactId}) { ...a } }
      fragment a on Contact { ... on Contact { ${nested(limits.depth)} } }`;
    expect(refusal(await w.graphql.send(document)).message).toMatch('13 levels of fields');
  });
});

describe('records that a request may resolve', () => {
  const lists = (limit: number, perPage: number | string) =>
    `{ contacts(account_id: ${w.accountId}, per_page: ${perPage}) { data { events(limit: ${limit}) { id } } } }`;

  test('sizes of lists within lists are multiplied: at the limit, and past it', async () => {
    const within = await w.graphql.send(lists(99, 100));
    expect(within.body.errors).toBeUndefined();
    expect(refusal(await w.graphql.send(lists(100, 100)))).toEqual({
      status: 400,
      message: 'The document has 10100 records that it may resolve; the limit is 10000',
      code: 'BAD_USER_INPUT',
    });
  });

  test('sizes count wherever they come from: variables, their defaults, texts, exponents, fragments', async () => {
    const message = 'The document has 10100 records that it may resolve; the limit is 10000';
    const variables = `query ($a: Integer!, $n: Integer, $m: Integer = 100) {
      contacts(account_id: $a, per_page: $n) { ...page }
    }
    fragment page on ContactPage { data { ... on Contact { events(limit: $m) { id } } } }`;
    const sent = { a: w.accountId, n: '100' };
    expect(refusal(await w.graphql.send(variables, sent)).message).toBe(message);
    expect((await w.graphql.send(variables, { ...sent, m: 5 })).body.errors).toBeUndefined();
    for (const size of ['"100"', '1e2']) {
      expect(refusal(await w.graphql.send(lists(100, size))).message).toBe(message);
    }
  });

  test('a list in a list that names no size has 10', async () => {
    const fresh = await world(service);
    const deal = await fresh.deal();
    await service.database.query(
      `INSERT INTO events (account_id, contact_id, kind) SELECT $1, $2, 'note' FROM generate_series(1, 200)`,
      [fresh.accountId, deal.contact_id],
    );
    const sizes = async (list: string) => {
      const text = `{ contacts(account_id: ${fresh.accountId}) { data { ${list} { id } } } }`;
      const { contacts } = await fresh.graphql.data<{ contacts: { data: { events: object[] }[] } }>(
        text,
      );
      return contacts.data.map(({ events }) => events.length);
    };
    expect(await sizes('events')).toEqual([10]);
    expect(await sizes('events(limit: 100)')).toEqual([100]);
    const { body } = await fresh.graphql.send(
      `{ contacts(account_id: ${fresh.accountId}) { data { events(limit: 101) { id } } } }`,
    );
    expect(body.errors?.[0]?.extensions.fields).toEqual({
      limit: ['must be an integer from 0 to 100'],
    });
  });

  test('a board counts its stages as ten', async () => {
    const board = (perStage: number) => `{
      pipeline_board(account_id: ${w.accountId}, pipeline_id: ${w.pipelineId}, per_stage: ${perStage}) {
        stages { stage { name } deals { contact { id } deal_assignees { user { id } } deal_products { product { name } } } }
      }
    }`;
    expect((await w.graphql.send(board(23))).body.errors).toBeUndefined();
    expect(refusal(await w.graphql.send(board(24))).message).toBe(
      'The document has 10090 records that it may resolve; the limit is 10000',
    );
  });

  test('a list without a limit may be as long as the limit, and no longer', async () => {
    const fresh = await world(service);
    const { id } = await fresh.contact();
    const add = (count: number) =>
      service.database.query(
        `INSERT INTO events (account_id, contact_id, kind) SELECT $1, $2, 'note' FROM generate_series(1, $3)`,
        [fresh.accountId, id, count],
      );
    const events = (arguments_: string, fields: string) =>
      `{ contact(account_id: ${fresh.accountId}, id: ${id}) { events${arguments_} { ${fields} } } }`;
    await add(limits.records);
    const all = await fresh.graphql.data<{ contact: { events: object[] } }>(events('', 'id'));
    expect(all.contact.events).toHaveLength(limits.records);
    await add(1);
    const tooMany = (cap: number) => ({
      code: 'BAD_USER_INPUT',
      errors: [`Contact.events has more than ${cap} records: give it a limit, and an offset`],
    });
    for (const [fields, cap] of [
      ['id', 10_000],
      ['contact { id }', 5000],
    ] as const) {
      const { body } = await fresh.graphql.send(events('', fields));
      expect(body.errors?.map((error) => error.extensions)).toEqual([tooMany(cap)]);
      expect(body.data).toEqual({ contact: null });
    }
    // With an object in its text, beside another field: the same holds.
    const beside = await fresh.graphql.send(
      `{ contacts(account_id: ${fresh.accountId}, query: {id_eq: 0}) { pagination { count } } ${events('', 'id').slice(1)}`,
    );
    expect(beside.body.errors?.map((error) => error.extensions)).toEqual([tooMany(10_000)]);
    const part = await fresh.graphql.data<{ contact: { events: object[] } }>(
      events('(limit: 9000, offset: 9000)', 'id'),
    );
    expect(part.contact.events).toHaveLength(1001);
    const rest = await fresh.rest.get<{ events: object[] }>(`/contacts/${id}`);
    expect(rest.body.events).toHaveLength(limits.records + 1);
  });

  test('what several lists resolve is counted together', async () => {
    const fresh = await world(service);
    const { id } = await fresh.contact();
    await service.database.query(
      `INSERT INTO events (account_id, contact_id, kind) SELECT $1, $2, 'note' FROM generate_series(1, 6000)`,
      [fresh.accountId, id],
    );
    const one = `contact(account_id: ${fresh.accountId}, id: ${id}) { events { id } }`;
    const { body } = await fresh.graphql.send(`{ a: ${one} b: ${one} }`);
    expect(body.errors?.map((error) => error.extensions.errors)).toEqual([
      ['The document has resolved more than 10000 records; the limit is 10000'],
    ]);
  });
});

describe('the door', () => {
  const send = (body: unknown, headers: Record<string, string> = {}) =>
    service.client.send<GraphqlBody<unknown>>({
      method: 'POST',
      path: '/graphql',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${w.admin.token}`,
        ...headers,
      },
      body: JSON.stringify(body),
    });

  test('takes no batches', async () => {
    const { status, body } = await send([{ query: '{ __typename }' }, { query: '{ __typename }' }]);
    expect(status).toBe(400);
    expect(body).not.toHaveProperty('data');
  });

  test('takes no other content type, which a form of another site could send', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      const { status, text } = await send({ query: '{ __typename }' }, { 'content-type': type });
      expect([type, status]).toEqual([type, 415]);
      expect(text).not.toContain('"data"');
    }
  });

  test('remembers a document by its hash, when it was sent with it once', async () => {
    const query = `{ contact(account_id: ${w.accountId}, id: ${contactId}) { id full_name } }`;
    const sha256Hash = createHash('sha256').update(query).digest('hex');
    const extensions = { persistedQuery: { version: 1, sha256Hash } };
    const unknown = await send({ extensions });
    expect(refusal(unknown).code).toBe('PERSISTED_QUERY_NOT_FOUND');
    expect(unknown.headers['cache-control']).toBe('no-store');
    expect((await send({ query, extensions })).body.errors).toBeUndefined();
    const again = await send({ extensions });
    expect(again.body.data).toEqual({ contact: { id: contactId, full_name: '' } });
    const wrong = await send({ query: '{ __typename }', extensions });
    expect(wrong.status).toBe(400);
  });

  test('says when the operation cannot be told', async () => {
    const query = 'query a { __typename } query b { __typename }';
    for (const [operationName, message] of [
      [undefined, 'Must provide operation name if query contains multiple operations.'],
      ['c', 'Unknown operation named "c".'],
    ]) {
      expect(await send({ query, operationName })).toAnswer(400, {
        errors: [{ message, extensions: { code: 'OPERATION_RESOLUTION_FAILURE' } }],
      });
    }
    expect((await send({ query, operationName: 'b' })).body.data).toEqual({ __typename: 'Query' });
  });

  test('keeps quiet about the schema when introspection is off', async () => {
    const quiet = await startService({ database: service.database, env: { GRAPHIQL: 'off' } });
    try {
      const ask = async (query: string) => {
        const { body } = await quiet.client.send<GraphqlBody<unknown>>({
          method: 'POST',
          path: '/graphql',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${w.admin.token}` },
          body: JSON.stringify({ query }),
        });
        return body;
      };
      expect((await ask('{ __schema { types { name } } }')).errors?.[0]?.extensions.code).toBe(
        'GRAPHQL_VALIDATION_FAILED',
      );
      expect(JSON.stringify(await ask('{ contcts { id } }'))).not.toContain('Did you mean');
      expect((await ask('{ __typename }')).data).toEqual({ __typename: 'Query' });
    } finally {
      await quiet.close();
    }
  });
});
