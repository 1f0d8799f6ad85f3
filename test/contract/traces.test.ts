/** One trace leads from the caller to the statement, and by a link to the webhook that a write caused. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { blocksOf } from '../kit/guides.ts';
import { attributesOf, type Collector, type ReceivedSpan, startCollector } from '../kit/otlp.ts';
import { delivering, type Receiver, startReceiver } from '../kit/receiver.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/wait.ts';
import { type World, world } from '../kit/world.ts';

let collector: Collector;
let receiver: Receiver;
let service: Service;
let w: World;
beforeAll(async () => {
  [collector, receiver] = await Promise.all([startCollector(), startReceiver()]);
  service = await startService({
    env: {
      ...delivering,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_SERVICE_NAME: 'tested',
      OTEL_BSP_SCHEDULE_DELAY: '20',
    },
  });
  w = await world(service);
  await w.rest.post('/webhooks', { url: receiver.url, events: ['product.*'] });
});
afterAll(async () => {
  await service.close();
  await Promise.all([collector.close(), receiver.close()]);
});

const caller = '00f067aa0ba902b7';
const traceparent = (trace: string, flags = '01') => `00-${trace}-${caller}-${flags}`;

const spansIn = (trace: string): readonly ReceivedSpan[] =>
  collector.spans().filter(({ traceId }) => traceId === trace);

/** The spans of a trace, once that of the request is there, which ends last. */
const spansOf = (trace: string): Promise<readonly ReceivedSpan[]> =>
  until(
    async () => spansIn(trace),
    (spans) => spans.some(({ parentSpanId }) => parentSpanId === caller),
    10_000,
  );

const child = (spans: readonly ReceivedSpan[], parent: string): ReceivedSpan => {
  const found = spans.find(({ parentSpanId }) => parentSpanId === parent);
  if (!found) throw new Error(`no span beneath ${parent}: ${JSON.stringify(spans)}`);
  return found;
};

test("one trace leads from the caller's over GraphQL to the named statement, and by a link to the webhook", async () => {
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
  const mutation = `mutation Add { create_product(account_id: ${w.accountId}, input: { name: "Traced", identifier: "TRACED" }) { id } }`;
  await w.graphql.send(mutation, {}, { traceparent: traceparent(trace) });
  const spans = await spansOf(trace);
  const request = child(spans, caller);
  const operation = child(spans, request.spanId);
  const statement = child(spans, operation.spanId);
  expect([request, operation, statement].map(({ name, kind }) => [name, kind])).toEqual([
    ['POST /graphql', 2],
    ['mutation client', 1],
    ['INSERT products', 3],
  ]);
  expect([request, operation, statement].map(attributesOf)).toEqual([
    {
      'http.request.method': 'POST',
      'http.route': '/graphql',
      'http.response.status_code': 200,
    },
    { 'graphql.operation.type': 'mutation', 'graphql.operation.name': 'Add' },
    {
      'db.system.name': 'postgresql',
      'db.query.summary': 'INSERT products',
      'db.response.returned_rows': 1,
    },
  ]);
  for (const { startTimeUnixNano, endTimeUnixNano } of spans)
    expect(Number(endTimeUnixNano)).toBeGreaterThanOrEqual(Number(startTimeUnixNano));

  const delivery = await until(
    async () => collector.spans().find(({ links }) => links[0]?.traceId === trace),
    (found) => found !== undefined,
    10_000,
  );
  expect(delivery?.name).toBe('webhook product.create');
  expect(delivery?.traceId).not.toBe(trace);
  expect(spans.map(({ spanId }) => spanId)).toContain(delivery?.links[0]?.spanId);
  expect(receiver.received.at(-1)?.headers.traceparent).toBe(
    `00-${delivery?.traceId}-${delivery?.spanId}-01`,
  );
  expect(new Set(collector.paths())).toEqual(new Set(['/v1/traces']));
  expect(collector.resources()[0]).toEqual({
    key: 'service.name',
    value: { stringValue: 'tested' },
  });
});

test('a stored operation is beneath the request of its route, with the statements of its transaction', async () => {
  const trace = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1';
  const deal = await w.deal({ stage_id: w.stageIds[0] });
  const move = { stage_id: w.stageIds[1], position: 1 };
  await w.rest.put(`/deals/${deal.id}`, move, { traceparent: traceparent(trace) });
  const spans = await spansOf(trace);
  const request = child(spans, caller);
  const operation = child(spans, request.spanId);
  expect([request.name, operation.name]).toEqual([
    'PUT /api/v1/accounts/:account_id/deals/:id',
    'mutation update_deal',
  ]);
  const statements = spans.filter(({ parentSpanId }) => parentSpanId === operation.spanId);
  expect(statements.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['SELECT stages', 'INSERT events', 'COMMIT']),
  );
});

test('the caller decides whether its trace is recorded', async () => {
  const trace = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa2';
  await w.rest.get('/me', { traceparent: traceparent(trace, '00') });
  const seen = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa3';
  await w.rest.get('/me', { traceparent: traceparent(seen) });
  await spansOf(seen);
  expect(spansIn(trace)).toEqual([]);
});

test.each([
  '',
  'nonsense',
  `00-${'0'.repeat(32)}-${caller}-01`,
  `ff-${'a'.repeat(32)}-${caller}-01`,
])('a traceparent %p is ignored, and a trace begins', async (header) => {
  const before = collector.spans().length;
  await w.rest.get('/me', { traceparent: header });
  const spans = await until(
    async () => collector.spans().slice(before),
    (all) => all.some(({ name }) => name.startsWith('GET ')),
    10_000,
  );
  const request = spans.find(({ name }) => name.startsWith('GET '));
  expect(request?.parentSpanId).toBeUndefined();
});

test('what is logged of a request has the id of its trace', async () => {
  const trace = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa4';
  await w.rest.get('/me', { traceparent: traceparent(trace) });
  const lines = service.logged.map((line) => JSON.parse(line));
  expect(lines.filter(({ trace_id }) => trace_id === trace)).toMatchObject([
    { msg: 'answered', method: 'GET', reqId: expect.any(String) },
  ]);
});

test('a statement that takes over a second is logged with what it does, whose it is, its request and trace', async () => {
  const query = (text: string) => service.database.query(text);
  await query(`CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_sleep(1.1); RETURN NEW; END $$`);
  await query('CREATE TRIGGER dawdle BEFORE INSERT ON products EXECUTE FUNCTION dawdle()');
  const trace = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa5';
  const { headers } = await w.rest.post(
    '/products',
    { name: 'Slow', identifier: 'SLOW' },
    { traceparent: traceparent(trace) },
  );
  await query('DROP TRIGGER dawdle ON products');
  const slow = service.logged
    .map((line) => JSON.parse(line))
    .find(({ msg }) => /took long/.test(msg));
  expect(slow).toEqual({
    level: 'warn',
    time: expect.any(String),
    name: 'INSERT products',
    account: w.accountId,
    ms: expect.any(Number),
    rows: 1,
    reqId: headers['x-request-id'],
    trace_id: trace,
    msg: 'a statement took long',
  });
  expect(slow.ms).toBeGreaterThan(1000);
  const [shown = ''] = blocksOf('src/docs/how-to/trace.md', 'json');
  expect(Object.keys({ ...slow, ...JSON.parse(shown) })).toEqual(Object.keys(slow));
});
