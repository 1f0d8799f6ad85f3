import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { type Answer, Client } from '../kit/http.ts';
import {
  call,
  type Demo,
  demo,
  hanging,
  killProcesses,
  killService,
  refusesConnections,
  startProcess,
} from '../kit/process.ts';
import { until } from '../kit/wait.ts';

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

test.each([
  ['in their order', [0, 1]],
  ['the last first', [1, 0]],
])(
  'all that was asked on a connection before the stop is answered, built %s; the last answer ends it',
  async (_, order) => {
    const service = await startProcess(shop);
    const deals = await shop.database.query<{ id: number }>(
      'SELECT id FROM deals ORDER BY id LIMIT 2',
    );
    const lock = (at = 0) =>
      shop.database.hold('SELECT FROM deals WHERE id = $1 FOR UPDATE', [deals[at]?.id]);
    const locks = [await lock(order[0]), await lock(order[1])];
    const body = '{"name": "Last"}';
    const puts = deals.map(({ id }) =>
      [
        `PUT /api/v1/accounts/${shop.accountId}/deals/${id} HTTP/1.1`,
        'Host: x',
        `Authorization: Bearer ${shop.token}`,
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
        '',
        body,
      ].join('\r\n'),
    );
    const socket = connect({ port: service.port, rejectUnauthorized: false });
    socket.write(puts.join(''));
    const answers = text(socket);
    await hanging(shop, 2);
    process.kill(service.pid, 'SIGTERM');
    expect(await refusesConnections(service)).toBe(true);
    for (const [at, letGo] of locks.entries()) {
      await letGo();
      await until(
        () => hanging(shop, 0),
        (count) => count === 1 - at,
        5000,
      );
    }
    const said = [...(await answers).matchAll(/HTTP\/1.1 (\d+)|\nConnection: ([\w-]+)/gi)];
    expect(said.map(([, status, connection]) => status ?? connection)).toEqual([
      '200',
      'keep-alive',
      '200',
      'close',
    ]);
    expect(await service.exit).toEqual([0, null]);
  },
);

test('SHUTDOWN_DELAY keeps the port open after SIGTERM, unready, and each answer ends its connection', async () => {
  const service = await startProcess(shop, { SHUTDOWN_DELAY: '1s' });
  const [deal] = await shop.database.query<{ id: number }>('SELECT min(id) AS id FROM deals');
  const letGo = await shop.database.hold('SELECT FROM deals FOR UPDATE');
  const client = new Client(service.url);
  const path = `/api/v1/accounts/${shop.accountId}/deals`;
  const headers = { authorization: `Bearer ${shop.token}`, 'content-type': 'application/json' };
  const ask = (method: string, rest: string, body = '{}') =>
    client.send({ method, path: `${path}${rest}`, headers, body });
  const ready = () => client.send({ method: 'GET', path: '/readyz' });
  const outcome = ({ status, headers: { connection } }: Answer) => ({ status, connection });
  expect(outcome(await ready())).toEqual({ status: 200, connection: 'keep-alive' });
  const inFlight = ask('PUT', `/${deal?.id}`, '{"name": "Late"}');
  await hanging(shop, 1);
  process.kill(service.pid, 'SIGTERM');
  const unready = await until(ready, ({ status }) => status === 503, 900);
  // On the connection that is open already, and on new ones.
  const answers = [unready, await ask('POST', '/search'), await ask('POST', '/search', '{')];
  await letGo();
  answers.push(await inFlight);
  const connection = 'close';
  expect(answers.map(outcome)).toEqual([
    { status: 503, connection },
    { status: 200, connection },
    { status: 400, connection },
    { status: 200, connection },
  ]);
  expect(await refusesConnections(service)).toBe(true);
  expect(await service.exit).toEqual([0, null]);
  client.close();
});

test('two processes on one database serve as one; either may be killed', async () => {
  const [one, two] = await Promise.all([startProcess(shop), startProcess(shop)]);
  expect(await call(one, shop, 'POST', '/contacts', { email: 'one@acme.test' })).toBe(201);
  expect(await call(two, shop, 'POST', '/contacts', { email: 'one@acme.test' })).toBe(422);
  await killService(one);
  expect(await call(two, shop, 'POST', '/contacts/upsert', { email: 'one@acme.test' })).toBe(200);
  process.kill(two.pid, 'SIGINT');
  expect(await two.exit).toEqual([0, null]);
});
