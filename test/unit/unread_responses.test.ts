/** Answers that their clients do not read, and what they cost the others. */
import { EventEmitter, once } from 'node:events';
import { get as ask, createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import Fastify, { type FastifyInstance } from 'fastify';
import { sendEvents, textOf } from '../../src/http/event_stream.ts';
import { LoadShedder } from '../../src/http/limits/load_shedder.ts';
import { UnreadBytes } from '../../src/http/limits/unread_bytes.ts';
import { UnreadResponses } from '../../src/http/limits/unread_responses.ts';
import { until } from '../kit/wait.ts';

const mebibyte = 1024 * 1024;
/** More than the kernel takes of an answer that nobody reads. */
const large = `"${'é'.repeat(8 * mebibyte)}"`;
/** Half a pair of units stands at the end of a part. */
const emoji = `"x${'😀'.repeat(mebibyte)}"`;

async function serving(unread = 1e6, strangers = 1e6) {
  const answers = new UnreadResponses({ unread, unhurried: 1e6, strangers, looking: 10 });
  const bound = new LoadShedder(8, { warn: () => undefined });
  const server: FastifyInstance = Fastify({
    forceCloseConnections: true,
    serverFactory: (listener) => createServer(bound.before(answers.before(listener))),
  });
  const begun: string[] = [];
  server.decorateRequest('viewer');
  server.addHook('onRequest', async (request) => {
    if (!request.url.endsWith('?stranger')) Object.assign(request, { viewer: { accountId: 1 } });
  });
  bound.count(server);
  answers.count(server);
  server.get<{ Params: { name: string } }>('/small/:name', async (request) => {
    begun.push(request.params.name);
    return request.params.name;
  });
  server.get('/large', async () => {
    begun.push('large');
    return large;
  });
  server.get('/emoji', async () => emoji);
  const gate = new EventEmitter();
  server.get('/together', async () => {
    await once(gate, 'open');
    return large;
  });
  server.get('/held', (request) => {
    request.raw.socket.once('close', () => begun.push('over'));
    begun.push('held');
    return new Promise(() => undefined);
  });
  const told = { events: 0, isOver: false };
  server.get('/events', (request, reply) =>
    sendEvents(request, reply, endless(told), answers).then(() => reply),
  );
  const url = await server.listen({ port: 0, host: '127.0.0.1' });
  /** A connection that reads nothing until it is told to. */
  const silent = async (...paths: readonly string[]) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1').pause();
    await once(socket, 'connect');
    socket.on('error', () => undefined);
    socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''));
    return socket;
  };
  return { answers, server, url, begun, silent, told, gate };
}

/** Events without end, as fast as they are read. */
async function* endless(told: { events: number; isOver: boolean }): AsyncGenerator<Buffer> {
  try {
    for (;;) {
      told.events += 1;
      yield Buffer.from(textOf({ id: String(told.events), data: 'x'.repeat(mebibyte) }));
    }
  } finally {
    told.isOver = true;
  }
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => String(n));
const names = (count: number) => numbers(count).map((n) => `/small/${n}`);

test('few requests behind an answer that is not read are begun, and they hold no place', async () => {
  const { server, url, silent, begun } = await serving();
  const socket = await silent('/large', ...names(99));
  await until(
    async () => begun,
    (all) => all.includes('large'),
    10_000,
  );
  const other = await fetch(`${url}/small/other`);
  expect([other.status, await other.text()]).toEqual([200, 'other']);
  expect(begun).toEqual(['large', ...numbers(7), 'other']);
  let heard = 0;
  socket.on('data', (chunk) => (heard += chunk.length)).resume();
  await until(
    async () => begun.length,
    (count) => count === 101,
    5000,
  );
  expect(begun).toEqual(['large', ...numbers(7), 'other', ...numbers(99).slice(7)]);
  const all = Buffer.byteLength(large);
  expect(
    await until(
      async () => heard > all,
      (is) => is,
      5000,
    ),
  ).toBe(true);
  socket.destroy();
  await server.close();
});

test('what listens for the end of a connection with each of its requests is taken for no leak', async () => {
  const { server, silent, begun } = await serving();
  const connected = once(server.server, 'connection');
  await silent(...Array.from({ length: 20 }, () => '/held'));
  await until(
    async () => begun.length,
    (count) => count === 8,
    10_000,
  );
  const [socket]: Socket[] = await connected;
  expect(socket?.listenerCount('close')).toBeGreaterThan(8);
  expect(socket?.listenerCount('close')).toBeLessThanOrEqual(socket?.getMaxListeners() ?? 0);
  socket?.destroy();
  await server.close();
});

test('events that are not read are not made, and are given up', async () => {
  const { server, silent, answers, told } = await serving(200);
  await silent('/events');
  await until(
    async () => answers.held,
    (bytes) => bytes > 0,
    10_000,
  );
  expect(
    await until(
      async () => told.isOver,
      (is) => is,
      5000,
    ),
  ).toBe(true);
  // What the kernel took, and the one that it did not.
  expect(told.events).toBeLessThan(12);
  expect([answers.held, answers.abandoned]).toEqual([0, 1]);
  await server.close();
});

test('an answer that is not read is given up, and what it held is free', async () => {
  const { server, silent, answers } = await serving(100);
  const socket = await silent('/large');
  await until(
    async () => answers.held,
    (bytes) => bytes > 0,
    10_000,
  );
  expect(answers.held).toBe(large.length);
  await until(
    async () => answers.held,
    (bytes) => bytes === 0,
    10_000,
  );
  expect(answers.abandoned).toBe(1);
  await once(socket.resume(), 'close');
  await server.close();
});

test('a client that reads slowly gets all of its answer', async () => {
  const { server, url, answers } = await serving(1000);
  const [answer] = await once(ask(`${url}/large`), 'response');
  let bytes = 0;
  for await (const chunk of answer) {
    bytes += chunk.length;
    if (bytes % mebibyte < chunk.length) await sleep(150);
  }
  expect(bytes).toBe(Buffer.byteLength(large));
  expect([answers.held, answers.abandoned]).toEqual([0, 0]);
  await server.close();
});

test('an answer in parts is the same text, and says how long it is', async () => {
  const { server, url } = await serving();
  const answer = await fetch(`${url}/emoji`);
  expect(answer.headers.get('content-length')).toBe(String(Buffer.byteLength(emoji)));
  expect((await answer.text()) === emoji).toBe(true);
  await server.close();
});

test('past the bound of bytes the answer that was read least lately is given up', async () => {
  const { server, silent, answers } = await serving();
  // Six of eight million characters are as much as one account may hold, and one half more.
  const sockets: Socket[] = [];
  for (let n = 0; n < 6; n++) {
    sockets.push(await silent('/large'));
    await until(
      async () => answers.held,
      (bytes) => bytes === Math.min(n + 1, 5) * large.length || n === 5,
      10_000,
    );
  }
  const [first] = sockets;
  if (first) await once(first.resume(), 'close');
  expect(answers.abandoned).toBe(1);
  for (const socket of sockets) socket.destroy();
  await until(
    async () => answers.held,
    (bytes) => bytes === 0,
    10_000,
  );
  await server.close();
});

test('of answers that are made at once as many are given up as are past the bound', async () => {
  const { server, silent, answers, gate } = await serving();
  const sockets = await Promise.all(numbers(8).map(() => silent('/together')));
  let closed = 0;
  for (const socket of sockets) socket.on('close', () => (closed += 1));
  await until(
    async () => gate.listenerCount('open'),
    (count) => count === 8,
    10_000,
  );
  gate.emit('open');
  await until(
    async () => answers.held,
    (bytes) => bytes > 0,
    10_000,
  );
  expect([answers.held, answers.abandoned]).toEqual([5 * large.length, 3]);
  for (const socket of sockets) socket.resume();
  await until(
    async () => answers.held,
    (bytes) => bytes === 0,
    5000,
  );
  expect(closed).toBe(3);
  for (const socket of sockets) socket.destroy();
  await server.close();
});

test('who sends ever more behind an answer that is not read is cut off', async () => {
  const { server, silent, answers } = await serving();
  const socket = await silent('/large', ...names(300));
  await once(socket.resume(), 'close');
  expect(answers.held).toBe(0);
  await server.close();
});

test('of what one address does not read and has no token for, the oldest is given up past 8 MiB', async () => {
  const { answers, server, silent } = await serving();
  const sockets = [await silent('/large')];
  for (const [count, given] of [
    [2, 0],
    [2, 1],
    [2, 2],
  ] as const) {
    sockets.push(await silent('/large?stranger'));
    await until(
      async () => answers.held === count * large.length && answers.abandoned === given,
      (is) => is,
      5000,
    );
  }
  for (const socket of sockets) socket.destroy();
  await server.close();
});

test('without a token an address may have 8 MiB, and all of them 32', () => {
  const unread = new UnreadBytes();
  unread.add(1, 16 * mebibyte);
  unread.add('192.0.2.1', 8 * mebibyte);
  expect(unread.excess('192.0.2.1')).toBeUndefined();
  unread.add('192.0.2.1', 1);
  expect(unread.excess('192.0.2.1')).toBe('192.0.2.1');
  unread.add('192.0.2.1', -1);
  for (const n of [2, 3, 4, 5]) unread.add(`192.0.2.${n}`, 6 * mebibyte);
  expect(unread.excess('192.0.2.5')).toBeUndefined();
  unread.add('192.0.2.6', 1);
  expect(unread.excess('192.0.2.6')).toBe('192.0.2.1');
  expect(unread.excess(1)).toBe('192.0.2.1');
});

test('an answer that is read too slowly is given up without a token, and not with one', async () => {
  // It may take a second for each 32 KiB, all but one of which are over.
  const { answers, server, silent } = await serving(1e6, 1000 - (large.length / 32 / 1024) * 1000);
  const sockets = await Promise.all([silent('/large'), silent('/large?stranger')]);
  await until(
    async () => answers.abandoned === 1 && answers.held === large.length,
    (is) => is,
    5000,
  );
  for (const socket of sockets) socket.destroy();
  await server.close();
});
