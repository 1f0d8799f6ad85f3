/** Subscriptions: what is sent to whom, when, and what that costs. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { createClient } from 'graphql-sse';
import { type Listening, listen } from '../kit/events.ts';
import { changes, now } from '../kit/feed.ts';
import { fetchFrom } from '../kit/fetch.ts';
import type { Answer } from '../kit/http.ts';
import { sharedService } from '../kit/service.ts';
import { issue } from '../kit/tokens.ts';
import { until } from '../kit/wait.ts';
import { type World, world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);
const opened: Listening[] = [];
afterAll(async () => {
  for (const stream of opened) stream.close();
});

const sending = (query: string, token: string | undefined, variables: unknown = {}) => ({
  method: 'POST',
  path: '/graphql/stream',
  headers: {
    'content-type': 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  },
  body: JSON.stringify({ query, variables }),
});

const open = async (query: string, token = w.admin.token, variables: object = {}) => {
  const { path, headers, body } = sending(query, token, variables);
  const stream = await listen(service.url, path, headers, body);
  opened.push(stream);
  return stream;
};

/** What the one event of a stream says that ends at once. */
function told({ status, headers, text }: Answer): unknown {
  expect([status, headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
  const [, data = ''] = /^event: next\ndata: (.*)\n\nevent: complete\ndata:\n\n$/.exec(text) ?? [];
  return JSON.parse(data);
}

const counting = ({ accountId }: World = w) =>
  `subscription { deals_summary(account_id: ${accountId}) { count } }`;
const counted = (count: number) => ({
  event: 'next',
  id: '',
  data: JSON.stringify({ data: { deals_summary: [{ count }] } }),
});
const complete = { event: 'complete', id: '', data: '' };

/** Waits for the last event of a stream. */
const reaches = async (stream: Listening, last: object) => {
  await until(
    async () => JSON.stringify(stream.events.at(-1)),
    (told) => told === JSON.stringify(last),
    5000,
  );
  expect(stream.events.at(-1)).toEqual(last);
};

/** How many statements have read summaries since they were forgotten. */
const summaries = () =>
  service.statements.filter((text) => /FROM "?deals"? AS r/.test(text)).length;

describe('what is told', () => {
  test('is the present state at once, and the next one when it is another', async () => {
    const stream = await open(counting());
    expect(await stream.came(1)).toEqual([counted(0)]);
    expect(stream.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.any(String),
    });
    // Something else changes, which comes to the same.
    service.statements.length = 0;
    const contact = await w.contact();
    await until(
      async () => summaries(),
      (count) => count > 0,
      5000,
    );
    await w.deal({ contact_id: contact.id });
    expect(await stream.came(2)).toEqual([counted(0), counted(1)]);
    stream.close();
  });

  test('holds the board with what clients stored, to the last digit, on one line', async () => {
    const attributes = '{"n": 12345678901234567890,\n "b": 1.10}';
    const { id } = await w.contact();
    const body = `{"contact_id": ${id}, "stage_id": ${w.other.stageId}, "custom_attributes": ${attributes}}`;
    expect(await w.rest.post('/deals', body)).toAnswer(201);
    const stream = await open(
      `subscription ($a: Integer!, $p: Integer!) { pipeline_board(account_id: $a, pipeline_id: $p) {
        stages { count deals { custom_attributes } } } }`,
      w.admin.token,
      { a: w.accountId, p: w.other.pipelineId },
    );
    const [told] = await stream.came(1);
    expect(told?.data).toContain('12345678901234567890');
    expect(told?.data).toContain('1.10');
    stream.close();
  });

  test('are several figures together, in one statement each', async () => {
    service.statements.length = 0;
    const stream = await open(
      `subscription ($a: Integer!, $p: Integer!) { dashboard {
        won: deals_summary(account_id: $a, query: {status_eq: "won"}) { count }
        lost: deals_summary(account_id: $a, query: {status_eq: "lost"}) { count }
        pipeline_funnel(account_id: $a, pipeline_id: $p) { reached } } }`,
      w.admin.token,
      { a: w.accountId, p: w.other.pipelineId },
    );
    const data = {
      dashboard: { won: [{ count: 0 }], lost: [{ count: 0 }], pipeline_funnel: [{ reached: 1 }] },
    };
    expect(await stream.came(1)).toEqual([
      { event: 'next', id: '', data: JSON.stringify({ data }) },
    ]);
    expect(summaries()).toBe(3);
    stream.close();
  });

  test('ends with why it cannot be told any longer', async () => {
    const { body: pipeline } = await w.rest.post<{ id: number }>('/pipelines', { name: 'Short' });
    const stream = await open(
      `subscription { pipeline_board(account_id: ${w.accountId}, pipeline_id: ${pipeline.id}) { stages { count } } }`,
    );
    await stream.came(1);
    expect(await w.rest.delete(`/pipelines/${pipeline.id}`)).toAnswer(204);
    await stream.ended();
    const message = 'Resource could not be found';
    const error = {
      message,
      extensions: { code: 'NOT_FOUND', errors: [message] },
      path: ['pipeline_board'],
    };
    expect(stream.events.slice(1)).toEqual([
      {
        event: 'next',
        id: '',
        data: JSON.stringify({ data: { pipeline_board: null }, errors: [error] }),
      },
      complete,
    ]);
  });

  test('is understood by the client of GraphQL over SSE', async () => {
    const account = await world(service);
    const client = createClient({
      url: `${service.url}/graphql/stream`,
      fetchFn: fetchFrom(service, account.admin.token),
      retryAttempts: 0,
    });
    const results = client.iterate({
      query: counting(account),
      extensions: {},
    });
    expect((await results.next()).value).toEqual({ data: { deals_summary: [{ count: 0 }] } });
    await account.deal();
    expect((await results.next()).value).toEqual({ data: { deals_summary: [{ count: 1 }] } });
    client.dispose();
  });
});

describe('what it costs', () => {
  test('is one statement for a hundred who watch the same, and one in half a second when they come', async () => {
    const account = await world(service);
    const contact = await account.contact();
    service.statements.length = 0;
    const began = performance.now();
    const streams = await Promise.all(
      Array.from({ length: 100 }, () => open(counting(account), account.admin.token)),
    );
    for (const stream of streams) await stream.came(1);
    expect(summaries()).toBeLessThanOrEqual(2 + (performance.now() - began) / 500);
    service.statements.length = 0;
    await account.deal({ contact_id: contact.id });
    for (const stream of streams) await reaches(stream, counted(1));
    // The watch may have looked once more without any change.
    expect([1, 2]).toContain(summaries());
    for (const stream of streams) stream.close();
  });

  test('is shared with nobody who may see less, or asks for something else', async () => {
    const text = `subscription ($s: Text) {
      pipeline_board(account_id: ${w.accountId}, pipeline_id: ${w.other.pipelineId}, query: {status_eq: $s}) {
        stages { count deals { contact { id } } } } }`;
    const [open_, lost] = await Promise.all([
      open(text, w.admin.token, { s: 'open' }),
      open(text, w.admin.token, { s: 'lost' }),
    ]);
    const count = async (stream: Listening) =>
      /"count":(\d+)/.exec((await stream.came(1))[0]?.data ?? '')?.[1];
    expect([await count(open_), await count(lost)]).toEqual(['1', '0']);
    const less = await issue(service.database, w.admin, {
      scopes: ['deals:read', 'pipelines:read'],
    });
    expect((await open(text, less, { s: 'open' })).status).toBe(403);
    for (const stream of [open_, lost]) stream.close();
  });

  test('is nothing once nobody watches', async () => {
    const account = await world(service);
    const board = `subscription { pipeline_board(account_id: ${account.accountId}, pipeline_id: ${account.pipelineId}) { stages { count } } }`;
    const left = await open(board, account.admin.token);
    await left.came(1);
    left.close();
    const stays = await open(counting(account), account.admin.token);
    await stays.came(1);
    service.statements.length = 0;
    await account.deal();
    await reaches(stays, counted(1));
    expect(service.statements.filter((text) => /'pipeline'/.test(text))).toEqual([]);
    stays.close();
  });
});

describe('changes', () => {
  const following = (after: string, more = '') =>
    `subscription { changes(account_id: ${w.accountId}, after: "${after}"${more}) {
      cursor at action record_type record_id before after user_id token_id request_id } }`;

  test('are told each once, those that were there first, as the feed tells them', async () => {
    const after = await now(w.rest);
    await w.contact({ full_name: 'Before' });
    const stream = await open(following(after));
    await stream.came(1);
    await w.rest.post('/contacts', '{"custom_attributes": {"a":\n\r\n12345678901234567890}}');
    const events = await stream.came(2);
    stream.close();
    const { data } = await changes(w.rest, { after });
    expect(events.map(({ event, data }) => [event, JSON.parse(data)])).toEqual(
      data.map((changes) => ['next', { data: { changes } }]),
    );
    const resumed = await open(following(data[0]?.cursor ?? ''));
    expect(await resumed.came(1)).toEqual(events.slice(1));
    resumed.close();
  });

  test('are those of the kinds that are asked for, and what is selected of them', async () => {
    const stream = await open(
      `subscription { changes(account_id: ${w.accountId}, after: "now", records: "products") { is: record_type record_id } }`,
    );
    await w.contact();
    const { id } = await w.product();
    const [told] = await stream.came(1);
    const data = { changes: { is: 'product', record_id: id } };
    expect(told?.data).toBe(JSON.stringify({ data }));
    stream.close();
  });

  test('are not sent after an invalid place, nor to viewers without the right to them', async () => {
    const stream = await open(following('x'));
    await stream.ended();
    const [told, last] = stream.events;
    expect(JSON.parse(told?.data ?? '')).toEqual({
      data: { changes: null },
      errors: [
        {
          message: 'Validation failed',
          extensions: {
            code: 'VALIDATION_FAILED',
            errors: [expect.any(String)],
            fields: { after: ['is not a cursor: send one unchanged, or now'] },
            codes: { after: ['invalid'] },
          },
          path: ['changes'],
        },
      ],
    });
    expect(last).toEqual(complete);
    const member = await open(following('now'), w.member.token);
    await member.ended();
    expect(JSON.parse(member.events[0]?.data ?? '').errors[0].extensions.code).toBe('FORBIDDEN');
    const reader = await issue(service.database, w.admin, { scopes: ['audit:read'] });
    const lacking = await open(following('now', ', records: "deals"'), reader);
    await lacking.ended();
    expect(lacking.events[0]?.data).toContain('The token lacks the scope deals:read');
  });
});

describe('is refused', () => {
  const refusal = (message: string, code: string, errors = [message]) => ({
    errors: [{ message, extensions: { code, errors } }],
  });

  test('without a token, as anything else is', async () => {
    const answer = await service.client.send(sending(counting(), undefined));
    const sentence = 'A valid token is needed, sent as Authorization: Bearer <token>';
    expect(answer).toAnswer(401, refusal('Unauthorized', 'UNAUTHENTICATED', [sentence]));
  });

  test('to a token that lacks the scope of what is selected', async () => {
    const token = await issue(service.database, w.admin, { scopes: ['contacts:read'] });
    const answer = await service.client.send(sending(counting(), token));
    const sentence = 'The token lacks the scope deals:read';
    expect(answer).toAnswer(200);
    expect(answer.text).toContain(sentence);
    const board = `subscription { pipeline_board(account_id: ${w.accountId}, pipeline_id: ${w.pipelineId}) {
      stages { deals { contact { id } } } } }`;
    const reader = await issue(service.database, w.admin, {
      scopes: ['deals:read', 'pipelines:read'],
    });
    const other = await service.client.send(sending(board, reader));
    const lacking = 'The token lacks the scope contacts:read';
    expect(other).toAnswer(403, refusal('Forbidden', 'INSUFFICIENT_SCOPE', [lacking]));
    expect(other.headers['www-authenticate']).toBe(
      'Bearer error="insufficient_scope", scope="contacts:read"',
    );
  });

  test('of what is no subscription; and a subscription where nothing is watched', async () => {
    const query = `{ deals_summary(account_id: ${w.accountId}) { count } }`;
    const watched = await service.client.send(sending(query, w.admin.token));
    expect(told(watched)).toEqual(
      refusal('Bad request', 'BAD_USER_INPUT', [
        'Nothing but a subscription can be watched: POST /graphql takes queries and mutations',
      ]),
    );
    expect(await w.graphql.send(counting())).toAnswer(
      400,
      refusal('Bad request', 'BAD_USER_INPUT', [
        'A subscription is answered by POST /graphql/stream, with Server-Sent Events',
      ]),
    );
  });

  test('in a body that asks for nothing', async () => {
    const faults = ['query must be a text', 'variables must be an object'];
    const body = JSON.stringify({ query: 1, variables: [] });
    const answer = await service.client.send({ ...sending('', w.admin.token), body });
    expect(answer).toAnswer(400, refusal('Bad request', 'BAD_USER_INPUT', faults));
  });

  test('beyond the limits of any document', async () => {
    const many = Array.from(
      { length: 31 },
      (_, n) => `a${n}: deals_summary(account_id: 1) { count }`,
    );
    const query = `subscription { dashboard { ${many.join(' ')} } }`;
    const answer = await service.client.send(sending(query, w.admin.token));
    expect(told(answer)).toEqual({
      errors: [
        {
          message: 'The document has 31 aliases; the limit is 30',
          extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
        },
      ],
    });
  });
});
