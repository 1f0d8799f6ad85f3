/** An agent that calls tools as often as its token may, and what another account notices of it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { median } from '../bench/percentiles.ts';
import { issue } from '../kit/tokens.ts';
import { type Noticed, send } from './requests.ts';
import { again, openScene, type Scene, tell } from './scene.ts';

/** Calls a minute, which the agent has used up before a round is measured; the other account sends fewer. */
const limit = 1000;
const rounds = 11;
const roundMs = 4000;
const strands = 8;

let scene: Scene;
beforeAll(async () => {
  scene = await openScene({ RATE_LIMIT: String(limit) });
  const { neighbour } = scene;
  const { id } = await neighbour.contact({ full_name: 'Nina Neighbour' });
  path = `/api/v1/accounts/${neighbour.accountId}/contacts/${id}`;
  await notice(sleep(roundMs));
});
afterAll(() => scene.close());

let path: string;

/** What the other account notices, with a token that has its own limit before it. */
async function notice(end: Promise<unknown>): Promise<Noticed> {
  const { database, neighbour, onlooker, service } = scene;
  const token = await issue(database, neighbour.admin, {});
  return onlooker.notice({ port: service.port, path, token }, end);
}

const creation = { resource: 'contacts', operation: 'create', records: [{ full_name: 'Ana' }] };
const question = { resource: 'contacts', query: { full_name_cont: 'a' } };

let calls = 0;

/** Calls a tool. @returns the status */
async function call(): Promise<string> {
  calls += 1;
  const params =
    calls % 4 === 0
      ? { name: 'write', arguments: creation }
      : { name: 'search', arguments: question };
  const body = { jsonrpc: '2.0', id: calls, method: 'tools/call', params };
  const { token } = scene.attacker.admin;
  return (await send(scene.service, { path: '/mcp', method: 'POST', token, body })).status;
}

/** Calls tools until it is refused. @returns how often it was not */
async function exhaust(): Promise<number> {
  let used = 0;
  while ((await call()) === '200') used += 1;
  return used;
}

/** Calls tools until `end` resolves; where it is refused, it waits a little and asks again. */
async function agent(end: Promise<unknown>): Promise<Readonly<Record<string, number>>> {
  const statuses: Record<string, number> = {};
  await again(strands, end, async () => {
    const status = await call();
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (status === '429') await sleep(20);
  });
  return statuses;
}

test("a token at its limit leaves another account's p99 at most 1.2 times as long", async () => {
  // What is measured are refusals, and not how the first of them warm the process.
  let used = await exhaust();
  await agent(sleep(roundMs));
  const quiet: number[] = [];
  const beside: number[] = [];
  let refused = 0;
  for (let round = 0; round < rounds; round += 1) {
    quiet.push((await notice(sleep(roundMs))).p99);
    used += await exhaust();
    const end = sleep(roundMs);
    const [noticed, statuses] = await Promise.all([notice(end), agent(end)]);
    expect(Object.keys(noticed.statuses)).toEqual(['200']);
    beside.push(noticed.p99);
    refused += statuses['429'] ?? 0;
  }
  tell('an agent at its limit', { used, refused, quiet, beside });
  expect(refused).toBeGreaterThan(0);
  expect(median(beside)).toBeLessThan(1.2 * median(quiet));
}, 300_000);
