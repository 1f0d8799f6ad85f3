/** Clients without a token that read the largest document as slowly as they can, as an account notices it. */
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

/** Asks for it five times, and reads a little each second. */
async function readSlowly(end: Promise<unknown>): Promise<void> {
  const { port } = scene.service;
  const options = { port, host: '127.0.0.1', rejectUnauthorized: false, highWaterMark: 1024 };
  const socket: TLSSocket = connect(options).on('error', () => undefined);
  socket.pause().write(request);
  const reading = setInterval(() => socket.read(32), 1000);
  await end;
  clearInterval(reading);
  socket.destroy();
}

test('beside 200 slow readers an account notices nothing', async () => {
  const end = sleep(15_000);
  const readers = Array.from({ length: 200 }, () => readSlowly(end));
  const { p50, p99, statuses } = await notice(scene, end);
  await Promise.all(readers);
  tell('beside 200 slow readers', { quiet: quiet.p99, p50, p99, statuses });
  expect(Object.keys(statuses)).toEqual(['200']);
  expect(p99).toBeLessThan(5 * Math.max(quiet.p99, 20));
}, 60_000);
