/** Receivers that never stop sending: whatever they send, 64 KiB of it are read. */
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { get } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Receivers } from '../../src/delivery/receivers.ts';
import { send } from '../../src/delivery/send.ts';
import { selfSigned } from '../../src/http/tls/certificate.ts';
import { until } from '../kit/wait.ts';

/** What a receiver answers first, and then without an end. */
interface Endless {
  readonly first?: string;
  readonly rest: string;
  /** Whether it goes on only after its answer was taken. */
  readonly isLate?: boolean;
}

interface Outcome {
  readonly status: number | null;
  readonly error: string | null;
}

const ok = 'HTTP/1.1 200 OK\r\n';
const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`;
const filler = 'x'.repeat(1000);

const delivered = { status: 200, error: null };
const tooMuch = { status: null, error: 'sent more than 64 KiB' };
const overflow = (of: string) => ({ status: null, error: `HPE_${of}_OVERFLOW` });

/** What it sends, with what then becomes of the attempt. */
const endings: Readonly<Record<string, Endless & Outcome>> = {
  'heads that announce another': {
    rest: 'HTTP/1.1 103 Early Hints\r\nLink: </>\r\n\r\n',
    ...tooMuch,
  },
  'heads of 100 bytes': {
    rest: `HTTP/1.1 102 Processing\r\nX: ${'x'.repeat(70)}\r\n\r\n`,
    ...tooMuch,
  },
  'short heads to go on': { rest: 'HTTP/1.1 100 Continue\r\n\r\n', ...tooMuch },
  'large heads': {
    rest: `HTTP/1.1 103 Early Hints\r\nLink: ${'x'.repeat(9000)}\r\n\r\n`,
    ...tooMuch,
  },
  'empty lines': { rest: '\r\n', ...tooMuch },
  // Node's parser has bounds of its own for these.
  'a head': { first: ok, rest: `X-A: ${filler}\r\n`, ...overflow('HEADER') },
  'a line of a head': { first: `${ok}X-A: `, rest: filler, ...overflow('HEADER') },
  trailers: { first: `${chunked}0\r\n`, rest: `X-A: ${filler}\r\n`, ...overflow('HEADER') },
  'an extension of a chunk': {
    first: `${chunked}1;`,
    rest: filler,
    ...overflow('CHUNK_EXTENSIONS'),
  },
  // Once there is a status it counts.
  'a body': { first: `${ok}\r\n`, rest: filler, ...delivered },
  'chunks of one byte': { first: chunked, rest: '1\r\nx\r\n', ...delivered },
  'extensions of chunks': {
    first: chunked,
    rest: `1;${'e'.repeat(100)}=1\r\nx\r\n`,
    ...delivered,
  },
  'anything after an answer that is complete': {
    first: `${ok}Content-Length: 2\r\n\r\nok`,
    rest: filler,
    isLate: true,
    ...delivered,
  },
};

const receivers = new Receivers(['127.0.0.1']);
const open = new Set<Socket>();
let server: Server;
let endless: Endless;
/** Bytes that the latest connection took from the receiver. */
let taken = () => 0;
/** Has the latest connection go on without an end. */
let goOn = () => {};

beforeAll(async () => {
  server = createServer((socket) => {
    open.add(socket);
    taken = () => socket.bytesWritten - socket.writableLength;
    socket.on('error', () => undefined).on('close', () => open.delete(socket));
    socket.once('data', () => {
      const { first = '', rest, isLate } = endless;
      const piece = rest.repeat(Math.ceil(16_384 / rest.length));
      goOn = () => {
        while (!socket.destroyed && socket.write(piece));
      };
      socket.write(first);
      socket.on('drain', goOn);
      if (!isLate) goOn();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  receivers.close();
  server.close();
  for (const socket of open) socket.destroy();
});

/** Sends one message. */
function sendOne() {
  const { port } = server.address() as AddressInfo;
  const message = {
    url: `http://127.0.0.1:${port}/`,
    body: '{}',
    message_id: 'msg_1',
    secrets: ['whsec_c2VjcmV0'],
  };
  return send(receivers, message, new AbortController().signal);
}

/** @returns what came of an attempt once its connection is closed */
async function attempt(sent: Endless) {
  endless = sent;
  const sending = await sendOne();
  if (sent.isLate) goOn();
  const left = await until(
    async () => open.size,
    (size) => size === 0,
    3000,
  );
  expect(left).toBe(0);
  // What the buffers of both ends hold lies beyond what was read.
  expect(taken()).toBeLessThan(16 * 1024 * 1024);
  return {
    status: sending?.outcome.status,
    error: sending?.outcome.error,
    restMs: sending?.restMs ?? 0,
  };
}

describe('of what a receiver sends 64 KiB are read, and then its connection is closed', () => {
  test.each(Object.entries(endings))('%s', async (_name, { status, error, ...sent }) => {
    expect(await attempt(sent)).toMatchObject({ status, error });
  });
});

test('one whose answer takes the parser long is left alone for much longer, and no other is', async () => {
  const heads = 'HTTP/1.1 100 Continue\r\n\r\n';
  const ordinary = `${ok}Content-Length: 2\r\n\r\nok`;
  const { restMs } = await attempt({ rest: heads });
  expect(restMs).toBeGreaterThan(50);
  expect(restMs).toBeLessThanOrEqual(5000);
  endless = { first: ordinary, rest: filler, isLate: true };
  expect((await sendOne())?.restMs).toBe(0);
});

test('a receiver cannot have the service shake hands again and again', async () => {
  const { key, cert } = await selfSigned(await mkdtemp(join(tmpdir(), 'crm-receiver-')));
  let hands = 0;
  const eager = createTlsServer({ key, cert, maxVersion: 'TLSv1.2' }, (socket) => {
    const shake = () => {
      hands += 1;
      socket.renegotiate({}, (error) => (error ? socket.destroy() : shake()));
    };
    socket.on('error', () => undefined);
    shake();
  });
  await once(eager.listen(0, '127.0.0.1'), 'listening');
  const url = new URL(`https://127.0.0.1:${(eager.address() as AddressInfo).port}/`);
  const agent = receivers.agent(url);
  const error = await once(get(url, { agent, rejectUnauthorized: false }), 'response').catch(
    ({ message }) => message,
  );
  expect(error).toMatch(/alert handshake failure|ECONNRESET|socket hang up/);
  expect(hands).toBe(1);
  eager.close();
});
