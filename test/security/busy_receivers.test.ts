/** Receivers that hang, or are many: what goes to others is sent all the same. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Receivers } from '../../src/delivery/receivers.ts';
import { send } from '../../src/delivery/send.ts';
import { until } from '../kit/wait.ts';

const servers: Server[] = [];
let hanging = 0;
const receivers = new Receivers(['127.0.0.1']);

const listen = async (): Promise<string> => {
  const server = createServer(({ url }, response) => {
    if (url === '/hangs') hanging += 1;
    else response.writeHead(204).end();
  });
  // It is not they who end a connection.
  server.keepAliveTimeout = 60_000;
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};
const post = async (url: string, { signal } = new AbortController()) => {
  const message = { url, body: '{}', message_id: 'msg_1', secrets: ['whsec_c2VjcmV0'] };
  return (await send(receivers, message, signal))?.outcome.status;
};

let addresses: readonly string[];
beforeAll(async () => {
  addresses = await Promise.all(Array.from({ length: 120 }, listen));
});
afterAll(() => {
  receivers.close();
  for (const server of servers) server.close().closeAllConnections();
});

test('attempts that hang keep nothing from other addresses of their host', async () => {
  const [host] = addresses;
  const end = new AbortController();
  const attempts = Array.from({ length: 10 }, () => post(`${host}/hangs`, end));
  const begun = await until(
    async () => hanging,
    (count) => count === attempts.length,
    5000,
  );
  expect(begun).toBe(attempts.length);
  expect(await post(`${host}/answers`)).toBe(204);
  end.abort();
  expect(await Promise.all(attempts)).toEqual(attempts.map(() => undefined));
});

test('connections are kept to a hundred receivers, and to more a delivery is sent without', async () => {
  for (const address of addresses) expect(await post(address)).toBe(204);
  const open = async () => {
    const counts = servers.map((server) => promisify(server.getConnections.bind(server))());
    return (await Promise.all(counts)).filter((count) => count > 0).length;
  };
  expect(await until(open, (count) => count === 100, 5000)).toBe(100);
});
