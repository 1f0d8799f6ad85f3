/** Whose statements share a connection of the pool: seen while what they read is locked. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { answerToBytes } from '../kit/bytes.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/wait.ts';
import { type World, world } from '../kit/world.ts';

const connections = 3;
let service: Service;
let w: World;
beforeAll(async () => {
  service = await startService({ env: { DATABASE_POOL: String(connections) } });
  w = await world(service);
});
afterAll(() => service.close());

/** Sends a request more often than there are connections, in bytes that are read in one turn. */
function together(head: string, body = ''): Promise<string> {
  const request = (more: string) =>
    [head, 'Host: x', `Authorization: Bearer ${w.admin.token}`, more, '', body].join('\r\n');
  const last = request(`Content-Length: ${body.length}\r\nConnection: close`);
  const others = request(`Content-Length: ${body.length}`).repeat(connections);
  return answerToBytes(service.url, others + last);
}

/** Their statements are known as short afterwards, however busy the machine is at times. */
async function acquaint(ask: () => Promise<string>): Promise<void> {
  for (let time = 0; time < 5; time++) await ask();
}

async function waiting(): Promise<number> {
  const rows = await service.database.query(
    `SELECT FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'crm' AND wait_event_type = 'Lock'`,
  );
  return rows.length;
}

const lock = () => service.database.hold('LOCK TABLE contacts IN ACCESS EXCLUSIVE MODE');
const statuses = (said: string) => said.match(/HTTP\/1\.1 \d+/g);
const allFound = Array.from({ length: connections + 1 }, () => 'HTTP/1.1 200');

test("REST's reads that arrive together share a connection and leave the others free", async () => {
  const { id } = await w.contact();
  const read = () => together(`GET /api/v1/accounts/${w.accountId}/contacts/${id} HTTP/1.1`);
  await acquaint(read);
  const letGo = await lock();
  const said = read();
  await until(waiting, (count) => count > 0, 2000);
  const [other, held] = [await w.rest.get(`/users/${w.admin.id}`), await waiting()];
  await letGo();
  expect(other).toAnswer(200, expect.objectContaining({ id: w.admin.id }));
  expect(held).toBe(1);
  expect(statuses(await said)).toEqual(allFound);
});

test("GraphQL clients' reads have a connection each, and leave one to others", async () => {
  const { id } = await w.contact();
  const query = `{ contact(account_id: ${w.accountId}, id: ${id}) { id } }`;
  const read = () =>
    together('POST /graphql HTTP/1.1\r\nContent-Type: application/json', JSON.stringify({ query }));
  await acquaint(read);
  const letGo = await lock();
  const said = read();
  const held = await until(waiting, (count) => count === connections - 1, 2000);
  const other = await (await world(service)).rest.post('/products/search', {});
  await letGo();
  expect(held).toBe(connections - 1);
  expect(other).toAnswer(200, expect.objectContaining({ data: [] }));
  expect(statuses(await said)).toEqual(allFound);
});
