/** A thousand who watch a board, some of whom read nothing, and what their neighbour notices. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Listening, listen } from '../kit/events.ts';
import { until } from '../kit/wait.ts';
import { notice, openScene, residentOf, type Scene, silent, tell, written } from './scene.ts';

const watchers = 1000;
const changes = 20;

let scene: Scene;
const opened: Listening[] = [];
beforeAll(async () => {
  scene = await openScene();
});
afterAll(async () => {
  for (const stream of opened) stream.close();
  await scene.close();
});

const transactions = async (): Promise<number> => {
  const [row] = await scene.database.query<{ count: number }>(
    'SELECT xact_commit AS count FROM pg_stat_database WHERE datname = current_database()',
  );
  return Number(row?.count);
};

test('a thousand watch for little, and are told within a second', async () => {
  const { attacker, service } = scene;
  const { accountId, pipelineId, admin } = attacker;
  const url = `https://127.0.0.1:${service.port}`;
  const contact = await attacker.contact();
  const deals: number[] = [];
  while (deals.length < 50) deals.push((await attacker.deal({ contact_id: contact.id })).id);
  const query = `subscription { pipeline_board(account_id: ${accountId}, pipeline_id: ${pipelineId}, per_stage: 100) {
    stages { count sum_in_cents deals { id name status position contact { full_name email } } } } }`;
  const body = JSON.stringify({ query });
  const headers = { authorization: `Bearer ${admin.token}` };
  const path = '/graphql/stream';

  const before = residentOf(service);
  while (opened.length < watchers - 10) {
    const some = Array.from({ length: 30 }, () => listen(url, path, headers, body));
    opened.push(...(await Promise.all(some)));
  }
  await Promise.all(opened.map((stream) => stream.came(1)));
  for (let n = 0; n < 10; n++) {
    await silent(service, written('POST', path, { token: admin.token, body }));
  }
  await sleep(3000);
  const megabytes = residentOf(service) - before;

  const began = await transactions();
  await sleep(10_000);
  const idle = ((await transactions()) - began) / 10;

  const late: number[] = [];
  const told = async () => {
    for (let change = 0; change < changes; change++) {
      const name = `renamed ${change}`;
      await attacker.updateDeal(deals[change] ?? 0, { name });
      const written = performance.now();
      const has = opened.map((stream) =>
        until(
          async () => stream.events.at(-1)?.data.includes(`"${name}"`),
          (is) => is === true,
          10_000,
        ).then(() => late.push(performance.now() - written)),
      );
      await Promise.all(has);
    }
  };
  const end = told();
  const noticed = await notice(scene, end);
  await end;
  late.sort((a, b) => a - b);
  const p99 = late[Math.floor(late.length * 0.99)] ?? 0;
  tell('watched', {
    watchers: opened.length,
    megabytes: Math.round(megabytes),
    'transactions a second while idle': idle,
    'told after, p50 in ms': Math.round(late[Math.floor(late.length / 2)] ?? 0),
    'told after, p99 in ms': Math.round(p99),
    neighbour: noticed,
  });
  expect(Object.keys(noticed.statuses)).toEqual(['200']);
  expect(opened.filter(({ status }) => status !== 200)).toEqual([]);
  // The watch asks twice a second, and who may watch is asked every other second.
  expect(idle).toBeLessThan(5);
}, 300_000);
