/** What is received, stored or held back on behalf of one account, as another account notices it. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, get } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { delivering } from '../kit/receiver.ts';
import type { World } from '../kit/world.ts';
import { type Noticed, send } from './requests.ts';
import { again, notice, noticeQuiet, openScene, type Scene, silent, tell } from './scene.ts';

let scene: Scene;
let quiet: Noticed;
beforeAll(async () => {
  scene = await openScene({ ...delivering, STORED_ANSWERS: '64MiB' });
  quiet = await noticeQuiet(scene);
}, 60_000);
afterAll(() => scene.close());

/** A quiet p99 of a millisecond or two would make a verdict of what the machine does beside it. */
const floorMs = 10;

const expectUnnoticed = (what: string, { p50, p99, statuses }: Noticed) => {
  tell(what, { quiet: quiet.p99, p50, p99, statuses });
  expect(Object.keys(statuses)).toEqual(['200']);
  expect(p99).toBeLessThan(5 * Math.max(quiet.p99, floorMs));
};

test('receivers that answer with heads without an end', async () => {
  const hint = 'HTTP/1.1 103 Early Hints\r\nLink: </>; rel=preload\r\n\r\n'.repeat(200);
  const receivers = await Promise.all(
    [1, 2, 3, 4].map(async () => {
      const server = createServer((socket) => {
        // Five megabytes a second.
        const writing = setInterval(() => {
          for (let n = 0; n < 5; n += 1) socket.write(hint);
        }, 10);
        socket.on('error', () => undefined).on('close', () => clearInterval(writing));
      });
      await once(server.listen(0, '127.0.0.1'), 'listening');
      return server;
    }),
  );
  const { attacker } = scene;
  for (const server of receivers) {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    await attacker.webhook({ url, events: ['contact.*'] });
  }
  const end = sleep(10_000);
  const writing = again(1, end, () => attacker.contact().then(() => sleep(20)));
  const seen = await notice(scene, end);
  await writing;
  for (const server of receivers) server.close();
  expectUnnoticed('beside endless heads', seen);
  const errors = await scene.database.query<{ error: string }>(
    'SELECT DISTINCT error FROM webhook_deliveries WHERE account_id = $1 AND error IS NOT NULL',
    [attacker.accountId],
  );
  expect(errors).toEqual([{ error: 'sent more than 64 KiB' }]);
}, 60_000);

test('short documents whose large answers are stored', async () => {
  const { attacker, service, database } = scene;
  const { accountId } = attacker;
  const { id } = await attacker.contact({ custom_attributes: { note: 'x'.repeat(60_000) } });
  const often = Array.from(
    { length: 14 },
    (_, n) => `${String.fromCharCode(97 + n)}:custom_attributes`,
  );
  const query = `mutation{update_contact(account_id:${accountId},id:${id},input:{}){${often}}}`;
  const statuses: Record<string, number> = {};
  const end = sleep(20_000);
  const writing = again(4, end, async () => {
    const { status } = await send(service, {
      path: '/graphql',
      token: attacker.admin.token,
      method: 'POST',
      headers: { 'idempotency-key': randomUUID() },
      body: { query },
    });
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (status === '429') await sleep(100);
  });
  const seen = await notice(scene, end);
  await writing;
  const [row] = await database.query<{ mebibytes: number }>(
    'SELECT sum(octet_length(answer))::float / 1048576 AS mebibytes FROM idempotency_keys WHERE account_id = $1',
    [accountId],
  );
  tell('stored', { ...row, statuses });
  expect(row?.mebibytes).toBeLessThan(64);
  expectUnnoticed('beside stored answers', seen);
}, 60_000);

const agent = new Agent({ rejectUnauthorized: false });

/** Begins an export, of which nothing is read by itself. */
const begin = ({ accountId, admin: { token } }: World) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const path = `/api/v1/accounts/${accountId}/contacts/export`;
    const headers = { authorization: `Bearer ${token}` };
    get({ port: scene.service.port, path, headers, agent }, resolve).on('error', reject);
  });

test('exports that are read slowly', async () => {
  const { neighbour, database } = scene;
  const others = await Promise.all([1, 2, 3].map(() => scene.account()));
  for (const { accountId } of others) {
    await database.query(
      `INSERT INTO contacts (account_id, full_name, custom_attributes)
       SELECT $1, 'Name ' || n, json_build_object('padding', repeat('x', 16000)) FROM generate_series(1, 2000) AS n`,
      [accountId],
    );
  }
  const end = sleep(40_000);
  let over = false;
  void end.finally(() => (over = true));
  /** Reads 2 KiB ten times a second, and begins again when it is cut off. */
  const reading = again(2, end, async () => {
    await Promise.all(
      others.map(async (other) => {
        const answer = await begin(other);
        answer.on('error', () => undefined);
        if (answer.statusCode !== 200) await sleep(1000);
        for (; !over && !answer.destroyed && answer.statusCode === 200; await sleep(100)) {
          answer.read(2048);
        }
        answer.destroy();
      }),
    );
  });
  await sleep(2000);
  const waits: number[] = [];
  const statuses: Record<string, number> = {};
  const exporting = again(1, sleep(36_000), async () => {
    const began = performance.now();
    const answer = await begin(neighbour);
    waits.push(performance.now() - began);
    statuses[String(answer.statusCode)] = (statuses[String(answer.statusCode)] ?? 0) + 1;
    answer.resume();
    await once(answer, 'close');
    await sleep(1000);
  });
  const seen = await notice(scene, end);
  await Promise.all([exporting, reading]);
  tell('exports beside slow readers', {
    statuses,
    count: waits.length,
    longest: Math.max(...waits),
  });
  expect(Object.keys(statuses)).toEqual(['200']);
  expect(Math.max(...waits)).toBeLessThan(15_000);
  expectUnnoticed('beside slow exports', seen);
}, 120_000);

test('two accounts that hold back all the answers that they may', async () => {
  const stream = ({ accountId, admin: { token } }: World) =>
    silent(
      scene.service,
      [
        `GET /api/v1/accounts/${accountId}/changes?after=now HTTP/1.1`,
        'Host: x',
        `Authorization: Bearer ${token}`,
        'Accept: text/event-stream',
        '\r\n',
      ].join('\r\n'),
    );
  const two = [scene.attacker, await scene.account()];
  const sockets: TLSSocket[] = [];
  for (const each of two) {
    for (let n = 0; n < 50; n += 1) {
      sockets.push(...(await Promise.all(Array.from({ length: 20 }, () => stream(each)))));
    }
  }
  const seen = await notice(scene, sleep(4000));
  const own = await stream(scene.neighbour);
  sockets.push(own);
  const [head] = await once(own.resume(), 'data');
  expect(String(head)).toMatch(/^HTTP\/1.1 200 OK/);
  for (const socket of sockets) socket.destroy();
  expectUnnoticed('beside two thousand streams', seen);
}, 120_000);
