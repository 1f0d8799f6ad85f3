/** Large answers on their way through a compressor, and how much is compressed at once. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, get } from 'node:http';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import Fastify, { type FastifyInstance } from 'fastify';
import { Compressor, compressAnswers } from '../../src/http/headers/compression.ts';
import { UnreadResponses } from '../../src/http/limits/unread_responses.ts';
import { until } from '../kit/wait.ts';

const mebibyte = 1024 * 1024;
/** Half a pair of units stands at the end of a part. */
const emoji = `"x${'😀'.repeat(mebibyte)}"`;
/** Does not get smaller, and so fills what the kernel takes of an answer that nobody reads. */
const random = randomBytes(12 * mebibyte).toString('base64');
const unpack = { br: brotliDecompressSync, gzip: gunzipSync } as const;

const endless = () => new Readable({ read() {} });

async function serving(unread = 1e6, compressor = new Compressor()) {
  const answers = new UnreadResponses({ unread, unhurried: 1e6, strangers: 1e6, looking: 10 });
  const server: FastifyInstance = Fastify({
    forceCloseConnections: true,
    serverFactory: (listener) => createServer(answers.before(listener)),
  });
  server.decorateRequest('viewer');
  answers.count(server);
  compressAnswers(server, compressor);
  server.get('/emoji', async () => emoji);
  server.get('/random', async () => random);
  const url = await server.listen({ port: 0, host: '127.0.0.1' });
  const ask = async (path: string, encoding: string) => {
    const headers = { 'accept-encoding': encoding };
    const [answer] = await once(get(`${url}${path}`, { headers, agent: false }), 'response');
    return answer;
  };
  return { answers, server, url, ask };
}

test.each(['br', 'gzip'] as const)('a large answer is the same text as %s', async (encoding) => {
  const { server, ask, answers } = await serving();
  const answer = await ask('/emoji', encoding);
  expect(answer.headers).toMatchObject({ 'content-encoding': encoding, vary: 'accept-encoding' });
  expect(answer.headers['content-length']).toBeUndefined();
  const bytes = await buffer(answer);
  expect(bytes.length).toBeLessThan(emoji.length / 100);
  expect(unpack[encoding](bytes).toString() === emoji).toBe(true);
  await until(
    async () => answers.held,
    (held) => held === 0,
    10_000,
  );
  expect(answers.held).toBe(0);
  await server.close();
});

test('a large answer that is not read is held and given up as it would be uncompressed', async () => {
  const { server, url, answers } = await serving(100);
  const socket = connect(Number(new URL(url).port), '127.0.0.1').pause();
  socket.on('error', () => undefined);
  socket.write('GET /random HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n');
  await until(
    async () => answers.held,
    (held) => held === random.length,
    10_000,
  );
  expect(answers.held).toBe(random.length);
  await until(
    async () => answers.abandoned,
    (count) => count === 1,
    5000,
  );
  await until(
    async () => answers.held,
    (held) => held === 0,
    10_000,
  );
  expect([answers.abandoned, answers.held]).toEqual([1, 0]);
  await server.close();
});

test('past the bounds answers come as they are', async () => {
  const compressor = new Compressor();
  const { server, ask } = await serving(1e6, compressor);
  const open = Array.from({ length: 8 }, () => compressor.parts(endless(), 'br'));
  const answer = await ask('/emoji', 'br');
  expect(answer.headers).toMatchObject({
    'content-length': String(Buffer.byteLength(emoji)),
    vary: 'accept-encoding',
  });
  expect(answer.headers['content-encoding']).toBeUndefined();
  expect((await text(answer)) === emoji).toBe(true);
  for (const each of open) each?.destroy();
  await server.close();
});

test('others have their turn while an answer is compressed', async () => {
  const order: string[] = [];
  const compressed = new Compressor().whole(random, 'br')?.then(() => order.push('compressed'));
  await turn();
  order.push('others');
  await compressed;
  expect(order).toEqual(['others', 'compressed']);
});

test('a megabyte waits to be compressed, and no more', async () => {
  const compressor = new Compressor();
  const half = random.slice(0, mebibyte / 2);
  const work = Array.from({ length: 5 }, () => compressor.whole(half, 'gzip'));
  expect(work.map((each) => each !== undefined)).toEqual([true, true, true, true, false]);
  for (const each of await Promise.all(work.slice(0, 4))) {
    expect(gunzipSync(each ?? '').toString() === half).toBe(true);
  }
  expect(await compressor.whole('again', 'gzip')).toBeDefined();
});

test('a stream that breaks makes room for another', async () => {
  const compressor = new Compressor();
  const broken = Array.from({ length: 8 }, () => compressor.parts(endless(), 'br'));
  expect(compressor.parts(endless(), 'br')).toBeUndefined();
  broken[0]?.destroy();
  const again = async () => compressor.parts(endless(), 'br') !== undefined;
  expect(await until(again, (is) => is, 2000)).toBe(true);
  expect(await again()).toBe(false);
});
