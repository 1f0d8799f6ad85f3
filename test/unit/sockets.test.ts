/** Connections that are opened and not used, at whatever layer. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterEach, describe, expect, test } from '@jest/globals';
import Fastify, { type FastifyInstance } from 'fastify';
import { Connections, type Timeouts } from '../../src/http/limits/connections.ts';
import { createListener } from '../../src/http/listener.ts';
import { answerUnreadable } from '../../src/http/malformed_requests.ts';
import { measureConnections, ownMetrics } from '../../src/telemetry/metrics.ts';
import { given } from '../kit/environment.ts';
import { until } from '../kit/wait.ts';

const opened: FastifyInstance[] = [];
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close();
});

const usual: Timeouts = {
  handshakeTimeout: 10_000,
  requestTimeout: 20_000,
  connectionsCheckingInterval: 20,
  keepAliveTimeout: 65_000,
};

interface Options {
  readonly max?: number;
  readonly tls?: boolean;
  readonly patience?: Partial<Timeouts>;
}

/** A server whose `/work` is answered when it is told to, and `/` at once. */
async function listen({ max = 100, tls = true, patience = {} }: Options = {}) {
  const certificate = tls
    ? {
        cert: readFileSync(given('CRM_TEST_CERT'), 'utf8'),
        key: readFileSync(given('CRM_TEST_KEY'), 'utf8'),
      }
    : undefined;
  const connections = new Connections(max, { ...usual, ...patience });
  const server = Fastify({
    serverFactory: (listener) => createListener(listener, certificate, connections),
    clientErrorHandler: answerUnreadable,
    forceCloseConnections: true,
  });
  const waiting: (() => void)[] = [];
  server.get('/', async () => 'at once');
  server.get('/work', async () => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    return 'done';
  });
  await server.listen({ port: 0, host: '127.0.0.1' });
  opened.push(server);
  const address = server.server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return { connections, waiting, port };
}

/** A client that notes what it hears. */
class Peer {
  readonly socket: Socket;
  readonly #over: Promise<void>;
  heard = '';

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk) => (this.heard += String(chunk)));
    socket.on('error', () => undefined);
    this.#over = new Promise((resolve) => {
      for (const event of ['end', 'close']) socket.once(event, () => resolve());
    });
  }

  /** Sends a request, and waits for what is answered. */
  async ask(path: string, until: string): Promise<void> {
    const before = this.heard.length;
    this.socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    while (!this.heard.slice(before).includes(until)) await once(this.socket, 'data');
  }

  /** All that it heard, once there is no more to come. */
  async over(): Promise<string> {
    await this.#over;
    return this.heard;
  }
}

/** TCP alone; it closes its own half only when it wants to. */
async function reach(port: number): Promise<Peer> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  await once(socket, 'connect');
  return new Peer(socket);
}

async function greet(port: number): Promise<Peer> {
  const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  return new Peer(socket);
}

const openOn = ({ connections }: { readonly connections: Connections }, count: number) =>
  until(
    async () => connections.open,
    (open) => open === count,
    5000,
  );

describe('a connection that does not finish its handshake', () => {
  test.each([
    ['says nothing', ''],
    ['begins to shake hands', '\x16\x03\x01\x02\x00\x01'],
  ])('and %s is closed when its time is over', async (_, bytes) => {
    const server = await listen({ patience: { handshakeTimeout: 100 } });
    const peer = await reach(server.port);
    peer.socket.write(bytes, 'latin1');
    expect(await openOn(server, 1)).toBe(1);
    expect(await peer.over()).toBe('');
    expect(await openOn(server, 0)).toBe(0);
  });

  test('gains no time by sending byte after byte', async () => {
    const server = await listen({ patience: { handshakeTimeout: 200 } });
    const peer = await reach(server.port);
    peer.socket.write('\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 'latin1');
    const trickle = setInterval(() => peer.socket.write('\0'), 20);
    await peer.over();
    clearInterval(trickle);
    expect(await openOn(server, 0)).toBe(0);
  });

  test('is forgotten when its client leaves', async () => {
    const server = await listen();
    const peer = await reach(server.port);
    expect(await openOn(server, 1)).toBe(1);
    peer.socket.end();
    expect(await openOn(server, 0)).toBe(0);
  });

  test('is closed with all others', async () => {
    const server = await listen();
    const peers = [await reach(server.port), await greet(server.port)];
    expect(await openOn(server, 2)).toBe(2);
    server.connections.destroy();
    for (const peer of peers) expect(await peer.over()).toBe('');
    expect(await openOn(server, 0)).toBe(0);
  });
});

const unreadable = (status: string, error: string) =>
  new RegExp(
    `^HTTP/1.1 ${status}\r\n(.+\r\n)*X-Request-Id: ([\\w-]+)\r\n(.+\r\n)*\r\n` +
      `\\{"error":"${error}","code":"[a-z_]+","errors":\\["${error}"\\],"request_id":"\\2"\\}$`,
  );

test('a connection whose request cannot be read is answered, then closed', async () => {
  const server = await listen({ tls: false, patience: { requestTimeout: 100 } });
  const cases = [
    { bytes: 'nonsense\r\n\r\n', answer: unreadable('400 Bad Request', 'Bad request') },
    {
      bytes: `GET / HTTP/1.1\r\nHost: x\r\nA: ${'x'.repeat(500_000)}`,
      answer: unreadable('431 Request Header Fields Too Large', 'Request header fields too large'),
    },
    { bytes: '', answer: unreadable('408 Request Timeout', 'Request timeout') },
    {
      bytes: 'GET / HTTP/1.1\r\nHost: x\r\n',
      answer: unreadable('408 Request Timeout', 'Request timeout'),
    },
  ];
  // Each keeps its own half open for good.
  const peers = await Promise.all(cases.map(() => reach(server.port)));
  cases.forEach(({ bytes }, at) => {
    peers[at]?.socket.write(bytes);
  });
  const heard = await Promise.all(peers.map((peer) => peer.over()));
  cases.forEach(({ answer }, at) => {
    expect(heard[at]).toMatch(answer);
  });
  expect(await openOn(server, 0)).toBe(0);
  for (const { socket } of peers) socket.destroy();
});

describe('past the most connections', () => {
  test.each([true, false])('the one that is idle for longest makes room (TLS: %s)', async (tls) => {
    const server = await listen({ max: 3, tls });
    const meet = () => (tls ? greet : reach)(server.port);
    const first = await meet();
    const second = await meet();
    await first.ask('/', 'at once');
    await second.ask('/', 'at once');
    await first.ask('/', 'at once');
    await meet();
    expect(server.connections.closed).toBe(0);
    const last = await meet();
    expect(await second.over()).toContain('at once');
    await first.ask('/', 'at once');
    await last.ask('/', 'at once');
    expect([server.connections.open, server.connections.closed]).toEqual([3, 1]);
    for (const { socket } of [first, last]) socket.destroy();
  });

  test('one that has not shaken hands makes room', async () => {
    const server = await listen({ max: 2 });
    const silent = await reach(server.port);
    const first = await greet(server.port);
    await first.ask('/', 'at once');
    const last = await greet(server.port);
    expect(await silent.over()).toBe('');
    await first.ask('/', 'at once');
    for (const { socket } of [first, last]) socket.destroy();
  });

  test('those that wait for an answer stay, and a new one goes', async () => {
    const server = await listen({ max: 2 });
    const busy = [await greet(server.port), await greet(server.port)];
    const answers = busy.map((peer) => peer.ask('/work', 'done'));
    await until(
      async () => server.waiting.length,
      (count) => count === 2,
      5000,
    );
    const late = await reach(server.port);
    expect(await late.over()).toBe('');
    for (const answer of server.waiting) answer();
    await Promise.all(answers);
    measureConnections(server.connections);
    // Asked twice: the second is a count, not what came since.
    await ownMetrics();
    const metrics = await ownMetrics();
    expect(metrics).toContain('\nhttp_connections_open 2\n');
    expect(metrics).toContain('\nhttp_connections_closed_total 1\n');
    for (const { socket } of busy) socket.destroy();
  });
});
