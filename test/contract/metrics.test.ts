/** What operators see of a service: of statements, connections, operations, the feed and webhooks. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { freePort } from '../../src/postgres/free_port.ts';
import { type Series, scrape, sumOf } from '../kit/metrics.ts';
import { delivering, startReceiver } from '../kit/receiver.ts';
import type { IssuedWebhook } from '../kit/records.ts';
import { type Service, startService } from '../kit/service.ts';
import { pg } from '../kit/shared.ts';
import { until } from '../kit/wait.ts';
import { type World, world } from '../kit/world.ts';

let service: Service;
let w: World;
let adminPort: number;
beforeAll(async () => {
  adminPort = await freePort();
  service = await startService({ env: { ...delivering, ADMIN_PORT: String(adminPort) } });
  w = await world(service);
});
afterAll(() => service.close());

const value = async (name: string, labels?: Readonly<Record<string, string>>) =>
  sumOf(await scrape(adminPort), name, labels) ?? 0;

/** By how much a number grows while something is done. */
async function growth(
  work: () => Promise<unknown>,
  name: string,
  labels?: Readonly<Record<string, string>>,
): Promise<number> {
  const before = await value(name, labels);
  await work();
  return (await value(name, labels)) - before;
}

const contactReads = {
  db_client_connection_pool_name: 'primary',
  db_query_summary: 'SELECT contacts',
};

test('a statement is counted under what it does, with its time and its rows', async () => {
  const { id } = await w.contact();
  const read = () => w.rest.get(`/contacts/${id}`);
  expect(await growth(read, 'db_client_operation_duration_seconds_count', contactReads)).toBe(1);
  expect(await growth(read, 'db_client_response_returned_rows_sum', contactReads)).toBe(1);
  const inserts = { ...contactReads, db_query_summary: 'INSERT contacts' };
  const write = () => w.contact();
  expect(await growth(write, 'db_client_operation_duration_seconds_count', inserts)).toBe(1);
});

test('statements of a transaction are counted', async () => {
  const deal = await w.deal({ stage_id: w.stageIds[0] });
  const move = () => w.rest.put(`/deals/${deal.id}`, { stage_id: w.stageIds[1], position: 1 });
  const before = await scrape(adminPort);
  await move();
  const after = await scrape(adminPort);
  const name = 'db_client_operation_duration_seconds_count';
  const grown = after.filter(
    (one) => one.name === name && one.value !== (sumOf(before, name, one.labels) ?? 0),
  );
  expect(grown.map(({ labels }) => labels.db_query_summary)).toEqual(
    expect.arrayContaining(['SELECT stages', 'INSERT events', 'COMMIT']),
  );
});

test('statements that fail are counted by SQLSTATE', async () => {
  const query = (text: string) => service.database.query(text);
  await query("ALTER TABLE products ADD CONSTRAINT no_oddities CHECK (name <> 'odd')");
  const create = () => w.rest.post('/products', { name: 'odd', identifier: 'ODD' });
  const code = { db_response_status_code: '23514' };
  expect(await growth(create, 'db_client_operation_errors_total', code)).toBe(1);
  await query('ALTER TABLE products DROP CONSTRAINT no_oddities');
});

test('connections are counted by state', async () => {
  const inState = (metrics: readonly Series[], state: string) =>
    sumOf(metrics, 'db_client_connection_count', { db_client_connection_state: state });
  // The service has work of its own now and then.
  const all = await until(
    () => scrape(adminPort),
    (metrics) => inState(metrics, 'used') === 0,
    10_000,
  );
  expect(sumOf(all, 'db_client_connection_max')).toBe(20);
  expect(inState(all, 'idle')).toBeGreaterThan(0);
  expect(sumOf(all, 'db_client_connection_pending_requests')).toBe(0);
  expect(sumOf(all, 'db_client_connection_timeouts_total')).toBe(0);
});

test('a stored operation is counted by name, whatever clients write as theirs', async () => {
  const succeeded = { graphql_operation_name: 'contacts', outcome: 'succeeded' };
  const search = () => w.rest.post('/contacts/search', {});
  expect(await growth(search, 'graphql_operations_total', succeeded)).toBe(1);
  const client = { graphql_operation_name: 'client', outcome: 'succeeded' };
  const ask = () => w.graphql.data(`{ contacts(account_id: ${w.accountId}) { data { id } } }`);
  expect(await growth(ask, 'graphql_operations_total', client)).toBe(1);
});

test('an answer that is repeated for its key is counted', async () => {
  const create = () =>
    w.rest.post('/contacts', { full_name: 'Once' }, { 'idempotency-key': 'metrics-1' });
  expect(await growth(create, 'idempotency_replays_total')).toBe(0);
  expect(await growth(create, 'idempotency_replays_total')).toBe(1);
});

test('attempts to deliver are counted by outcome, with the time since the change', async () => {
  let status = 200;
  const receiver = await startReceiver((response) => void response.writeHead(status).end());
  const body = { url: receiver.url, events: ['product.*'] };
  await w.rest.post<IssuedWebhook>('/webhooks', body);
  const attempts = 'webhook_delivery_attempts_total';
  const delivered = () => value(attempts, { outcome: 'delivered' });
  const delays = async () => ({
    count: await value('webhook_delivery_delay_seconds_count'),
    seconds: await value('webhook_delivery_delay_seconds_sum'),
  });
  const before = await delays();
  const began = performance.now();
  await w.product();
  expect(await until(delivered, (count) => count > 0, 30_000)).toBe(1);
  const passed = (performance.now() - began) / 1000;
  const after = await delays();
  expect(after.count - before.count).toBe(1);
  expect(after.seconds - before.seconds).toBeLessThan(passed);
  status = 500;
  await w.product();
  const refused = () => value(attempts, { outcome: 'refused' });
  expect(await until(refused, (count) => count > 0, 30_000)).toBe(1);
  await receiver.close();
});

test('a transaction that wrote and is not over holds the feed up, and says for how long', async () => {
  expect(await value('database_up')).toBe(1);
  expect(await value('migrations_pending')).toBe(0);
  const client = new pg.Client({ connectionString: service.database.url });
  await client.connect();
  await client.query('BEGIN; SELECT pg_current_xact_id(), pg_sleep(0.3)');
  expect(await value('changes_behind_seconds')).toBeGreaterThanOrEqual(0.3);
  await client.end();
});

test('deliveries that nobody takes on are due, and for how long', async () => {
  const { body } = await w.rest.post<{ id: number }>('/webhooks', {
    url: 'http://127.0.0.1:9/',
    events: ['user.*'],
  });
  const overdue = () =>
    service.database.query(
      `INSERT INTO webhook_deliveries (account_id, webhook_id, message_id, event, record_type, record_id, next_attempt_at)
       SELECT ${w.accountId}, ${body.id}, gen_random_uuid(), 'user.update', 'user', 1, now() - interval '1 hour'
       FROM generate_series(1, 3)`,
    );
  // The service may take them on before it is asked.
  const series = await until(
    () => overdue().then(() => scrape(adminPort)),
    (all) => (sumOf(all, 'webhook_deliveries_due') ?? 0) > 0,
    10_000,
  );
  expect(sumOf(series, 'webhook_deliveries_due')).toBeGreaterThan(0);
  expect(sumOf(series, 'webhook_oldest_due_seconds')).toBeGreaterThanOrEqual(3600);
});

test('no metric tells whose a request was, and no statement has a name beyond sixty', async () => {
  const all = await scrape(adminPort);
  const labels = new Set(all.flatMap((one) => Object.keys(one.labels)));
  expect([...labels].sort()).toEqual([
    'db_client_connection_pool_name',
    'db_client_connection_state',
    'db_query_summary',
    'db_response_status_code',
    'graphql_operation_name',
    'http_request_method',
    'http_response_status_code',
    'http_route',
    'kind',
    'le',
    'major',
    'minor',
    'outcome',
    'patch',
    'space',
    'type',
    'version',
  ]);
  const names = new Set(all.flatMap(({ labels: { db_query_summary: name } }) => name ?? []));
  expect(names.size).toBeLessThanOrEqual(60);
});
