/** Clients that open connections and do nothing with them, and what their neighbour notices. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { call, type Demo, demo, killProcesses, startProcess, workerOf } from '../kit/process.ts';
import { until } from '../kit/wait.ts';
import type { Noticed } from './requests.ts';
import {
  descriptorsOf,
  mostResident,
  notice,
  noticeQuiet,
  openScene,
  residentOf,
  type Scene,
  tell,
} from './scene.ts';

interface Place {
  readonly port: number;
}

/** A TCP connection that nobody closes, whatever the service does. */
async function reach({ port }: Place, sent = ''): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => undefined);
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  socket.resume();
  socket.write(sent, 'latin1');
  return socket;
}

async function greet({ port }: Place, sent = ''): Promise<Socket> {
  const options = { port, host: '127.0.0.1', rejectUnauthorized: false, allowHalfOpen: true };
  const socket = connectTls(options);
  socket.on('error', () => undefined);
  await new Promise((done) => socket.once('secureConnect', done).once('close', done));
  socket.resume();
  if (sent) socket.write(sent);
  return socket;
}

/** Opens connections, some hundred a second: handshakes take time of this process too. */
async function crowd(count: number, open: () => Promise<Socket>): Promise<readonly Socket[]> {
  const all: Socket[] = [];
  const strand = async () => {
    while (all.length < count) {
      all.push(await open());
      await sleep(8);
    }
  };
  await Promise.all(Array.from({ length: 4 }, strand));
  return all;
}

const leave = (sockets: readonly Socket[]) => {
  for (const socket of sockets) socket.destroy();
};

describe('beside a neighbour', () => {
  let scene: Scene;
  let quiet: Noticed;
  beforeAll(async () => {
    scene = await openScene({ WORKERS: '1' });
    quiet = await noticeQuiet(scene);
  });
  afterAll(() => scene.close());

  const half = '\x16\x03\x01\x02\x00\x01';
  test.each([
    ['500 connections that say nothing', 500, () => reach(scene.service)],
    ['500 that begin to shake hands', 500, () => reach(scene.service, half)],
    ['500 that talk nonsense and keep their half', 500, () => greet(scene.service, 'x\r\n\r\n')],
    ['5,000 that are idle', 5000, () => greet(scene.service)],
  ])('%s disturb nobody, and nothing is left of them', async (name, count, open) => {
    const before = { mb: residentOf(scene.service), fds: descriptorsOf(scene.service) };
    let sockets: readonly Socket[] = [];
    const attack = crowd(count, open).then(async (all) => {
      sockets = all;
      await sleep(4000);
    });
    const [noticed, mb] = await Promise.all([
      notice(scene, attack),
      mostResident(scene.service, attack),
    ]);
    // They stay: it is the service that ends them, after its 10 s or 20 s at the latest.
    const fds = await until(
      async () => descriptorsOf(scene.service),
      (found) => found <= before.fds + 5,
      40_000,
    );
    leave(sockets);
    tell(name, { quiet, noticed, mb: mb - before.mb, fds: fds - before.fds });
    expect(Object.keys(noticed.statuses)).toEqual(['200']);
    expect(noticed.p99).toBeLessThanOrEqual(Math.min(50, 5 * quiet.p99));
    expect(mb - before.mb).toBeLessThan(300);
    expect(fds).toBeLessThanOrEqual(before.fds + 5);
  });
});

describe('at the end', () => {
  let shop: Demo;
  beforeAll(async () => {
    shop = await demo();
  });
  afterAll(async () => {
    killProcesses();
    await shop.database.close();
  });

  test.each(['1', '2'])('SIGTERM ends %s workers within 10 s, whoever is connected', async (n) => {
    const service = await startProcess(shop, { WORKERS: n });
    expect(await call(service, shop, 'POST', '/deals/search')).toBe(200);
    const sockets = [
      ...(await crowd(200, () => reach(service))),
      ...(await crowd(100, () => greet(service))),
      ...(await crowd(100, () => greet(service, 'GET / HTTP/1.1\r\n'))),
    ];
    const began = performance.now();
    process.kill(service.pid, 'SIGTERM');
    expect(await service.exit).toEqual([0, null]);
    const ms = performance.now() - began;
    leave(sockets);
    tell(`SIGTERM, ${n} workers`, { ms });
    // By themselves: after nine seconds they would be killed.
    expect(ms).toBeLessThan(9000);
  });

  test('SIGTERM ends two workers of which one is still starting', async () => {
    const service = await startProcess(shop, { WORKERS: '2' });
    const began = performance.now();
    process.kill(service.pid, 'SIGTERM');
    expect(await service.exit).toEqual([0, null]);
    expect(performance.now() - began).toBeLessThan(9000);
  });

  test('without a free descriptor nothing is a 500, and all is well afterwards', async () => {
    // Too few connections to the database to serve all, so that more are wanted.
    const service = await startProcess(shop, { DATABASE_POOL: '20' });
    expect(await call(service, shop, 'POST', '/deals/search')).toBe(200);
    const statuses: Record<string, number> = {};
    const ask = async () => {
      const status = await call(service, shop, 'POST', '/deals/search').catch(() => 'cut off');
      statuses[status] = (statuses[status] ?? 0) + 1;
      return status;
    };
    const limit = (max: number) =>
      execFileSync('prlimit', ['--pid', String(workerOf(service)), `--nofile=${max}:20000`]);
    limit(descriptorsOf(service) + 4);
    for (let round = 0; round < 20; round += 1) await Promise.all(Array.from({ length: 12 }, ask));
    const sockets = await crowd(100, () => reach(service));
    for (let round = 0; round < 5; round += 1) await Promise.all(Array.from({ length: 12 }, ask));
    leave(sockets);
    tell('no descriptors', { statuses });
    expect(Object.keys(statuses)).not.toContain('500');
    limit(20_000);
    expect(await until(ask, (status) => status === 200, 10_000)).toBe(200);
    process.kill(service.pid, 'SIGTERM');
    expect(await service.exit).toEqual([0, null]);
  });

  test('with few descriptors idle connections give way, and requests are all answered', async () => {
    const service = await startProcess(shop, {}, { descriptors: 300 });
    const sockets = await crowd(1000, () => reach(service));
    const statuses: number[] = [];
    for (let n = 0; n < 50; n += 1) {
      statuses.push(await call(service, shop, 'POST', '/deals/search'));
    }
    const fds = descriptorsOf(service);
    leave(sockets);
    tell('few descriptors', { fds });
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(fds).toBeLessThan(300);
    process.kill(service.pid, 'SIGTERM');
    expect(await service.exit).toEqual([0, null]);
  });
});
