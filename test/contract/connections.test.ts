/** Whose statements share a connection of the pool: seen while what they read is locked. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { answerToBytes } from '../kit/bytes.ts';
import { type Service, startService } from '../kit/service.ts';
import { lastAnswer, until } from '../kit/wait.ts';
import { type World, world } from '../kit/world.ts';

const connections = 3;
let service: Service;
beforeAll(async () => {
  service = await startService({ env: { DATABASE_POOL: String(connections), WORKERS: '1' } });
});
afterAll(() => service.close());

/** Sends a request of an account more often than there are connections, in bytes that are read in one turn. */
function together(w: World, head: string, body = ''): Promise<string> {
  const request = (more: string) =>
    [head, 'Host: x', `Authorization: Bearer ${w.admin.token}`, more, '', body].join('\r\n');
  const last = request(`Content-Length: ${body.length}\r\nConnection: close`);
  const others = request(`Content-Length: ${body.length}`).repeat(connections);
  return answerToBytes(service.url, others + last);
}

/** Their statements are known as short afterwards, however busy the machine is at times. */
async function acquaint(ask: () => Promise<string>, times = 5): Promise<void> {
  for (let time = 0; time < times; time++) await ask();
}

async function waiting(): Promise<number> {
  const rows = await service.database.query(
    `SELECT FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'crm' AND wait_event_type = 'Lock'`,
  );
  return rows.length;
}

const lock = (table = 'contacts') =>
  service.database.hold(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
const statuses = (said: string) => said.match(/HTTP\/1\.1 \d+/g);
const allFound = Array.from({ length: connections + 1 }, () => 'HTTP/1.1 200');

/** Asks for one contact over REST. */
const reading = (w: World, id: number) =>
  together(w, `GET /api/v1/accounts/${w.accountId}/contacts/${id} HTTP/1.1`);

/** Asks for a field of one contact over GraphQL, and for others beside it. */
function asking(w: World, id: number, field: string, beside = ''): Promise<string> {
  const query = `{ contact(account_id: ${w.accountId}, id: ${id}) { ${field} } ${beside} }`;
  const head = 'POST /graphql HTTP/1.1\r\nContent-Type: application/json';
  return together(w, head, JSON.stringify({ query }));
}

test.each([
  ["REST's reads", 'contacts', reading],
  [
    "REST's reads of an account",
    'accounts',
    (w: World) => together(w, `GET /api/v1/accounts/${w.accountId} HTTP/1.1`),
  ],
  [
    "GraphQL clients' reads that come again and again",
    'contacts',
    (w: World, id: number) => asking(w, id, 'full_name'),
  ],
  [
    'short reads among several of one document',
    'contacts',
    (w: World, id: number) =>
      asking(w, id, 'full_name', `account(account_id: ${w.accountId}) { name }`),
  ],
])(
  '%s share a connection when they arrive together, and leave others free',
  async (_, table, read) => {
    /** How many waited for the lock, and whether another request was answered meanwhile. */
    const attempt = async () => {
      // What waits for the lock counts as slow, and keeps its account from sharing for a while.
      const w = await world(service);
      const { id } = await w.contact();
      await acquaint(() => read(w, id));
      const letGo = await lock(table);
      const said = read(w, id);
      await lastAnswer(waiting, (count) => count > 0, 2000);
      let wasFree = false;
      const other = w.rest.get(`/users/${w.admin.id}`).finally(() => {
        wasFree = true;
      });
      await lastAnswer(async () => wasFree, Boolean, 1000);
      const seen = { held: await waiting(), wasFree };
      await letGo();
      expect(await other).toAnswer(200, expect.objectContaining({ id: w.admin.id }));
      expect(statuses(await said)).toEqual(allFound);
      return seen;
    };
    // A statement that took long of late, as on a busy machine, has its connection for itself.
    const seen = await until(attempt, ({ held, wasFree }) => held === 1 && wasFree, 12_000);
    expect(seen).toEqual({ held: 1, wasFree: true });
  },
);

test.each([
  ["GraphQL clients' reads that are new", 0, (w: World, id: number) => asking(w, id, 'email')],
  [
    'reads of what a record has, among several of one document,',
    5,
    (w: World, id: number) =>
      asking(w, id, 'deals { id }', `account(account_id: ${w.accountId}) { name }`),
  ],
])('%s have a connection each, and leave one to others', async (_, times, read) => {
  const w = await world(service);
  const { id } = await w.contact();
  await acquaint(() => read(w, id), times);
  const letGo = await lock();
  const said = read(w, id);
  const held = await until(waiting, (count) => count === connections - 1, 2000);
  const other = await (await world(service)).rest.post('/products/search', {});
  await letGo();
  expect(held).toBe(connections - 1);
  expect(other).toAnswer(200, expect.objectContaining({ data: [] }));
  expect(statuses(await said)).toEqual(allFound);
});
