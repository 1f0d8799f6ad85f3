/** Clients without a token that read the largest document as slowly as they can, as an account notices it. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Noticed } from './requests.ts';
import { notice, noticeQuiet, openScene, type Scene, tell } from './scene.ts';

let scene: Scene;
let quiet: Noticed;
beforeAll(async () => {
  scene = await openScene();
  quiet = await noticeQuiet(scene);
}, 60_000);
afterAll(() => scene.close());

const request = 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(5);

/** Asks for it five times, and reads a little each second, until it is cut off; then anew. */
async function readSlowly(until: Promise<unknown>): Promise<number> {
  let isOver = false;
  until.then(() => (isOver = true));
  let cut = 0;
  while (!isOver) {
    const { port } = scene.service;
    const options = { port, host: '127.0.0.1', rejectUnauthorized: false, highWaterMark: 1024 };
    const socket: TLSSocket = connect(options).on('error', () => undefined);
    const closed = once(socket, 'close');
    socket.pause().write(request);
    const reading = setInterval(() => socket.read(32), 1000);
    await Promise.race([closed, until]);
    if (!isOver) cut += 1;
    clearInterval(reading);
    socket.destroy();
    // As a tool that opens fifty connections a second does.
    await sleep(4000);
  }
  return cut;
}

test('200 slow readers are cut off, and nobody else notices them', async () => {
  const end = sleep(15_000);
  const readers = Array.from({ length: 200 }, () => readSlowly(end));
  const { p50, p99, statuses } = await notice(scene, end);
  const cut = (await Promise.all(readers)).reduce((all, one) => all + one, 0);
  tell('beside 200 slow readers', { quiet: quiet.p99, p50, p99, statuses, cut });
  expect(Object.keys(statuses)).toEqual(['200']);
  expect(cut).toBeGreaterThan(180);
  expect(p99).toBeLessThan(5 * Math.max(quiet.p99, 20));
}, 60_000);
