import { Agent } from 'node:https';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import {
  call,
  type Demo,
  demo,
  hanging,
  killProcesses,
  refusesConnections,
  startProcess,
} from '../kit/process.ts';

// Whole processes are started, on machines that may be busy.
jest.setTimeout(60_000);

let shop: Demo;
beforeAll(async () => {
  shop = await demo();
});
afterAll(async () => {
  killProcesses();
  await shop.database.close();
});

test('SIGTERM lets requests in flight finish, refuses new ones, and ends with 0', async () => {
  const service = await startProcess(shop);
  const [deal] = await shop.database.query<{ id: number }>('SELECT min(id) AS id FROM deals');
  const letGo = await shop.database.hold('SELECT FROM deals FOR UPDATE');
  const inFlight = call(service, shop, 'PUT', `/deals/${deal?.id}`, { name: 'Renamed' });
  const hung = await hanging(shop, 1);
  const asked = Date.now();
  process.kill(service.pid, 'SIGTERM');
  const refused = await refusesConnections(service);
  await letGo();
  expect({ hung, refused }).toEqual({ hung: 1, refused: true });
  expect(await inFlight).toBe(200);
  expect(await service.exit).toEqual([0, null]);
  expect(Date.now() - asked).toBeLessThan(10_000);
  expect(await shop.database.query('SELECT name FROM deals WHERE id = $1', [deal?.id])).toEqual([
    { name: 'Renamed' },
  ]);
});

test('what comes on an open connection during the stop is answered, and the connection closed', async () => {
  const service = await startProcess(shop);
  const [deal] = await shop.database.query<{ id: number }>('SELECT min(id) AS id FROM deals');
  const letGo = await shop.database.hold('SELECT FROM deals FOR UPDATE');
  const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
  const asked = call(service, shop, 'PUT', `/deals/${deal?.id}`, { name: 'Last' }, agent);
  const waiting = call(service, shop, 'POST', '/deals/search', {}, agent);
  await hanging(shop, 1);
  process.kill(service.pid, 'SIGTERM');
  expect(await refusesConnections(service)).toBe(true);
  await letGo();
  expect(await Promise.all([asked, waiting])).toEqual([200, 200]);
  expect(await service.exit).toEqual([0, null]);
});

test('two processes on one database serve as one; either may be killed', async () => {
  const [one, two] = await Promise.all([startProcess(shop), startProcess(shop)]);
  expect(await call(one, shop, 'POST', '/contacts', { email: 'one@acme.test' })).toBe(201);
  expect(await call(two, shop, 'POST', '/contacts', { email: 'one@acme.test' })).toBe(422);
  process.kill(one.pid, 'SIGKILL');
  await one.exit;
  expect(await call(two, shop, 'POST', '/contacts/upsert', { email: 'one@acme.test' })).toBe(200);
  process.kill(two.pid, 'SIGINT');
  expect(await two.exit).toEqual([0, null]);
});
