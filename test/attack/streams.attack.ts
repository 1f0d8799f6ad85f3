/** Many streams of one account, changes that all of them get, and what a neighbour notices. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Listening, listen } from '../kit/events.ts';
import { type Noticed, send } from './requests.ts';
import { notice, noticeQuiet, openScene, residentOf, type Scene, tell } from './scene.ts';

let scene: Scene;
let quiet: Noticed;
beforeAll(async () => {
  scene = await openScene();
  quiet = await noticeQuiet(scene);
});
afterAll(() => scene.close());

interface Stream {
  readonly status: number;
  bytes(): number;
  close(): void;
}

/** A stream whose text is counted and not looked at, which would take this process's time. */
async function stream(path: string, body?: string): Promise<Stream> {
  const { attacker, service } = scene;
  const { accountId, admin } = attacker;
  const asked = request({
    host: '127.0.0.1',
    port: service.port,
    path: path.replace('{account_id}', String(accountId)),
    method: body === undefined ? 'GET' : 'POST',
    agent: false,
    rejectUnauthorized: false,
    headers: {
      authorization: `Bearer ${admin.token}`,
      accept: 'text/event-stream',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
  });
  asked.end(body);
  const [response]: IncomingMessage[] = await once(asked, 'response');
  if (!response) throw new Error('no answer came');
  asked.on('error', () => undefined);
  response.on('error', () => undefined);
  let bytes = 0;
  response.on('data', (chunk: Buffer) => (bytes += chunk.length));
  return {
    status: response.statusCode ?? 0,
    bytes: () => bytes,
    close: () => asked.destroy(),
  };
}

async function streams(count: number, path: string, body?: string): Promise<readonly Stream[]> {
  const open: Stream[] = [];
  while (open.length < count) {
    open.push(...(await Promise.all(Array.from({ length: 50 }, () => stream(path, body)))));
  }
  expect(new Set(open.map(({ status }) => status))).toEqual(new Set([200]));
  return open;
}

/** Writes `times` contacts, one each `pauseMs`, whatever the answers take. */
async function write(times: number, pauseMs: number, bytes: number): Promise<void> {
  const { attacker, service } = scene;
  const writing: Promise<string>[] = [];
  for (let n = 0; n < times; n += 1) {
    const body = { full_name: `Written ${n}`, custom_attributes: { note: 'x'.repeat(bytes) } };
    const path = `/api/v1/accounts/${attacker.accountId}/contacts`;
    const sent = send(service, { method: 'POST', path, token: attacker.admin.token, body });
    writing.push(sent.then(({ status }) => status));
    await sleep(pauseMs);
  }
  expect(new Set(await Promise.all(writing))).toEqual(new Set(['201']));
}

const feed = '/api/v1/accounts/{account_id}/changes?after=now&records=contacts';

/** A neighbour may wait five times as long as when it is alone, and 20 ms in any case. */
const max = () => Math.max(20, 5 * quiet.p99);

/**
 * Has the neighbour work while the attacker's streams are told of what it writes.
 * @param min bytes that each stream gets
 */
async function attack(
  name: string,
  { open, writing, min }: { open: readonly Stream[]; writing: () => Promise<void>; min: number },
): Promise<void> {
  await sleep(3000);
  const before = open.map(({ bytes }) => bytes());
  const resident = residentOf(scene.service);
  const end = writing();
  const seen = await notice(scene, end);
  await end;
  const most_resident = residentOf(scene.service) - resident;
  await sleep(5000);
  const got = open.map(({ bytes }, n) => bytes() - (before[n] ?? 0));
  for (const each of open) each.close();
  tell(name, {
    quiet,
    seen,
    megabytes: most_resident,
    min: Math.min(...got),
    max: Math.max(...got),
  });
  await sleep(1000);
  expect(Object.keys(seen.statuses)).toEqual(['200']);
  expect(Math.min(...got)).toBeGreaterThan(min);
  expect(seen.p99).toBeLessThan(max());
}

test('900 streams that get 60 KB every 2.5 seconds', async () => {
  const open = await streams(900, feed);
  await attack('large changes', { open, writing: () => write(6, 2500, 60_000), min: 6 * 60_000 });
});

test('800 streams that get 50 changes a second, each of them once and in order', async () => {
  const { attacker, service } = scene;
  const open = await streams(800, feed);
  const path = feed.replace('{account_id}', String(attacker.accountId));
  const watched: Listening = await listen(service.url, path, {
    authorization: `Bearer ${attacker.admin.token}`,
  });
  await attack('many changes', { open, writing: () => write(600, 20, 100), min: 600 * 500 });
  const names = watched.events.map(({ data }) => JSON.parse(data).after.full_name);
  watched.close();
  expect(names.sort()).toEqual(Array.from({ length: 600 }, (_, n) => `Written ${n}`).sort());
});

test('900 subscriptions of changes of 60 KB every 2.5 seconds', async () => {
  const query = `subscription { changes(account_id: ${scene.attacker.accountId}, after: "now", records: "contacts") { cursor after } }`;
  const open = await streams(900, '/graphql/stream', JSON.stringify({ query }));
  await attack('subscribed changes', {
    open,
    writing: () => write(6, 2500, 60_000),
    min: 6 * 60_000,
  });
});

test('900 live queries of a list of 60 KB, which changes every 2.5 seconds', async () => {
  const { attacker } = scene;
  const { accountId, pipelineId } = attacker;
  const contact = await attacker.contact({ full_name: 'c'.repeat(250) });
  const deals: number[] = [];
  while (deals.length < 100) {
    deals.push((await attacker.deal({ contact_id: contact.id, name: 'd'.repeat(250) })).id);
  }
  const query = `subscription { pipeline_board(account_id: ${accountId}, pipeline_id: ${pipelineId}, per_stage: 100) {
    stages { deals { id name contact { full_name } } } } }`;
  const open = await streams(900, '/graphql/stream', JSON.stringify({ query }));
  const rename = async () => {
    for (let n = 0; n < 6; n += 1) {
      await attacker.updateDeal(deals[n] ?? 0, { name: `renamed ${n}` });
      await sleep(2500);
    }
  };
  await attack('live lists', { open, writing: rename, min: 6 * 50_000 });
});
