import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import Fastify, { type FastifyInstance } from 'fastify';
import { answerError } from '../../src/http/errors.ts';
import { addHealth } from '../../src/http/health.ts';
import { LoadBound } from '../../src/http/overload.ts';
import { until } from '../kit/wait.ts';

/** A server that works on a request until it is told to answer. */
async function slowServer(most: number) {
  const waiting: (() => void)[] = [];
  const logged: unknown[][] = [];
  const log = { warn: (...told: unknown[]) => void logged.push(told) };
  const bound = new LoadBound(most, log);
  const server: FastifyInstance = Fastify({
    forceCloseConnections: true,
    serverFactory: (listener) => createServer(bound.before(listener)),
  });
  server.setErrorHandler(answerError);
  bound.count(server);
  server.get('/work', async () => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    return 'done';
  });
  server.post('/work', async () => 'done');
  addHealth(server, async () => null);
  const url = await server.listen({ port: 0, host: '127.0.0.1' });
  const finish = () => {
    for (const answer of waiting.splice(0)) answer();
  };
  const busy = async (requests: number) => {
    while (waiting.length < requests) await sleep(1);
  };
  return { server, url, finish, busy, logged };
}

test('a request beyond the bound gets a 503 with Retry-After, and health checks are answered', async () => {
  const { server, url, finish, busy } = await slowServer(2);
  const taken = [fetch(`${url}/work`), fetch(`${url}/work`)];
  await busy(2);
  const refused = await fetch(`${url}/work`);
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(await refused.json()).toEqual({
    error: 'Service unavailable',
    errors: ['The service is overloaded'],
    request_id: expect.any(String),
  });
  expect((await fetch(`${url}/livez`)).status).toBe(200);
  finish();
  expect((await Promise.all(taken)).map(({ status }) => status)).toEqual([200, 200]);
  await server.close();
});

test('the log tells how many were refused, not each of them', async () => {
  const { server, url, finish, busy, logged } = await slowServer(1);
  const taken = fetch(`${url}/work`);
  await busy(1);
  const refused = await Promise.all([1, 2, 3].map(() => fetch(`${url}/work`)));
  expect(refused.map(({ status }) => status)).toEqual([503, 503, 503]);
  await until(
    async () => logged,
    (lines) => lines.length > 0,
    5000,
  );
  expect(logged).toEqual([[{ requests: 3 }, 'refused requests, the service is overloaded']]);
  finish();
  expect((await taken).status).toBe(200);
  await server.close();
});

test('clients that hang up free their places', async () => {
  const { server, url, finish, busy } = await slowServer(2);
  const abort = new AbortController();
  const left = [0, 1].map(() => fetch(`${url}/work`, { signal: abort.signal }).catch(() => 'left'));
  await busy(2);
  abort.abort();
  expect(await Promise.all(left)).toEqual(['left', 'left']);
  finish();
  // The server learns of it a moment later, and refuses until then.
  const statuses: number[] = [];
  while (statuses.at(-1) !== 200 && statuses.length < 20) {
    const answer = fetch(`${url}/work`);
    await Promise.race([answer, busy(1)]);
    finish();
    statuses.push((await answer).status);
  }
  expect(statuses.at(-1)).toBe(200);
  await server.close();
});

test('clients that hang up while their refusal is held back disturb nobody', async () => {
  const { server, url, finish, busy } = await slowServer(1);
  const taken = fetch(`${url}/work`);
  await busy(1);
  const abort = new AbortController();
  const left = fetch(`${url}/work`, { signal: abort.signal }).catch(() => 'left');
  const { port } = new URL(url);
  const raw = connect(Number(port), '127.0.0.1', () =>
    raw.end('POST /work HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}'),
  );
  await once(raw, 'connect');
  raw.destroy();
  abort.abort();
  expect(await left).toBe('left');
  for (let n = 0; n < 3; n++) expect((await fetch(`${url}/work`)).status).toBe(503);
  finish();
  expect((await taken).status).toBe(200);
  await server.close();
});

test('requests whose bodies never come take no place', async () => {
  const { server, url } = await slowServer(2);
  const { port } = new URL(url);
  const head =
    'POST /work HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{';
  const stalled = [0, 1, 2].map(() =>
    connect(Number(port), '127.0.0.1', function (this: Socket) {
      this.write(head);
    }),
  );
  await Promise.all(stalled.map((socket) => once(socket, 'connect')));
  // Node has them once it answers what came after them.
  expect((await fetch(`${url}/livez`)).status).toBe(200);
  const answer = await fetch(`${url}/work`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  expect([answer.status, await answer.text()]).toEqual([200, 'done']);
  for (const socket of stalled) socket.destroy();
  await server.close();
});
