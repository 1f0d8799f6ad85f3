import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import Fastify, { type FastifyInstance } from 'fastify';
import { everything } from '../../src/auth/scopes.ts';
import { answerError } from '../../src/http/errors.ts';
import { addHealth } from '../../src/http/health.ts';
import { LoadShedder } from '../../src/http/limits/load_shedder.ts';
import { measureRequests, ownMetrics } from '../../src/telemetry/metrics.ts';
import { until } from '../kit/wait.ts';

const admin = {
  sessionId: null,
  role: 'admin',
  scopes: everything,
  defaultCountry: null,
} as const;

/** A server that works on a request until it is told to answer. */
async function slowServer(max: number) {
  const waiting: (() => void)[] = [];
  const logged: unknown[][] = [];
  const log = { warn: (...told: unknown[]) => void logged.push(told) };
  const bound = new LoadShedder(max, log);
  const server: FastifyInstance = Fastify({
    forceCloseConnections: true,
    serverFactory: (listener) => createServer(bound.before(listener)),
  });
  let held: (() => Promise<void>) | undefined;
  server.decorateRequest('viewer');
  server.addHook('onRequest', async (request) => {
    const account = request.headers['x-account'];
    if (account) {
      const accountId = Number(account);
      request.viewer = { accountId, userId: 1, tokenId: 1, ...admin };
    }
    if (request.url === '/work') await held?.();
  });
  server.setErrorHandler(answerError);
  bound.count(server);
  measureRequests(server, bound, { held: 0, abandoned: 0 });
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
  /** The next request is held where others find out who asks. */
  const hold = () => {
    let letGo: () => void;
    const reached = new Promise<void>((tell) => {
      held = () =>
        new Promise<void>((resolve) => {
          held = undefined;
          letGo = resolve;
          tell();
        });
    });
    return { reached, letGo: () => letGo() };
  };
  /** Asks as often as there are places, until all are free: the server learns late who hung up. */
  const fill = async () => {
    for (let attempt = 0; attempt < 20; attempt++) {
      const asked = Array.from({ length: max }, () => fetch(`${url}/work`));
      let answered = false;
      void Promise.race(asked).then(() => (answered = true));
      while (!answered && waiting.length < max) await sleep(1);
      const finishing = setInterval(finish, 1);
      const statuses = (await Promise.all(asked)).map(({ status }) => status);
      clearInterval(finishing);
      if (statuses.every((status) => status === 200)) return 'free';
    }
    return 'never free';
  };
  return { server, url, finish, busy, logged, hold, fill };
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
    code: 'unavailable',
    errors: ['The service is overloaded'],
    request_id: expect.any(String),
  });
  expect((await fetch(`${url}/livez`)).status).toBe(200);
  expect((await fetch(`${url}/readyz?from=balancer`)).status).toBe(200);
  finish();
  expect((await Promise.all(taken)).map(({ status }) => status)).toEqual([200, 200]);
  await server.close();
});

test('beside others an account has half of the places, and who has fewer finds one in any case', async () => {
  const { server, url, finish, busy } = await slowServer(4);
  const ask = (account: number) =>
    fetch(`${url}/work`, { headers: { 'x-account': String(account) } });
  const alone = [1, 1, 1, 1].map(ask);
  await busy(4);
  const others = [ask(2), ask(3)];
  await busy(6);
  expect((await Promise.all([ask(1), ask(1)])).map(({ status }) => status)).toEqual([503, 503]);
  finish();
  const taken = await Promise.all([...alone, ...others]);
  expect(taken.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 200));
  const half = [ask(2), ask(1), ask(1)];
  await busy(3);
  expect((await ask(1)).status).toBe(503);
  expect(await ownMetrics()).toContain('\nhttp_requests_refused_share_total 1\n');
  finish();
  expect((await Promise.all(half)).map(({ status }) => status)).toEqual([200, 200, 200]);
  await server.close();
});

test('the metrics count what was refused', async () => {
  const { server, url, finish, busy } = await slowServer(1);
  const taken = fetch(`${url}/work`);
  await busy(1);
  await Promise.all([fetch(`${url}/work`), fetch(`${url}/work`)]);
  finish();
  await taken;
  // Asked twice: it is a count, not what came since.
  await ownMetrics();
  expect(await ownMetrics()).toContain('\nhttp_requests_refused_total 2\n');
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

const get = 'GET /work HTTP/1.1\r\nHost: x\r\n\r\n';

test('a client that asks many times at once and hangs up frees all its places', async () => {
  const { server, url, finish, busy, fill } = await slowServer(3);
  const { port } = new URL(url);
  const raw = connect(Number(port), '127.0.0.1', () => raw.write(get.repeat(3)));
  await busy(3);
  raw.destroy();
  await once(raw, 'close');
  finish();
  expect(await fill()).toBe('free');
  await server.close();
});

test('a client that hangs up before it is known who it is takes no place', async () => {
  const { server, url, hold, fill } = await slowServer(1);
  const known = hold();
  const { port } = new URL(url);
  const raw = connect(Number(port), '127.0.0.1', () => raw.write(get));
  await known.reached;
  raw.destroy();
  // The server has heard of it once it answers a client that came afterwards.
  await once(raw, 'close');
  expect((await fetch(`${url}/livez`)).status).toBe(200);
  known.letGo();
  expect(await fill()).toBe('free');
  await server.close();
});

test('a client that asks again before it was refused is cut off', async () => {
  const { server, url, finish, busy } = await slowServer(1);
  const taken = fetch(`${url}/work`);
  await busy(1);
  const { port } = new URL(url);
  const raw = connect(Number(port), '127.0.0.1', () => raw.write(get.repeat(2)));
  let heard = '';
  raw.on('data', (chunk) => (heard += String(chunk))).on('error', () => undefined);
  await once(raw, 'close');
  expect(heard).toBe('');
  finish();
  expect((await taken).status).toBe(200);
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
