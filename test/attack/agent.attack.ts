/** An agent that calls tools as often as its token may, and what another account notices of it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { median } from '../bench/percentiles.ts';
import { issue } from '../kit/tokens.ts';
import { type Noticed, send } from './requests.ts';
import { again, openScene, type Scene, tell } from './scene.ts';

/** Calls a minute, which the agent has used up before anything is measured; the other account sends fewer. */
const limit = 1000;
const rounds = 5;
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

/** Calls tools without a pause until `end` resolves; where it is refused, it waits a little and asks again. */
async function agent(end: Promise<unknown>): Promise<Readonly<Record<string, number>>> {
  const statuses: Record<string, number> = {};
  const { token } = scene.attacker.admin;
  let n = 0;
  await again(strands, end, async () => {
    n += 1;
    const args =
      n % 4 === 0
        ? { name: 'write', arguments: creation }
        : { name: 'search', arguments: { resource: 'contacts', query: { full_name_cont: 'a' } } };
    const body = { jsonrpc: '2.0', id: n, method: 'tools/call', params: args };
    const { status } = await send(scene.service, { path: '/mcp', method: 'POST', token, body });
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (status === '429') await sleep(20);
  });
  return statuses;
}

const creation = { resource: 'contacts', operation: 'create', records: [{ full_name: 'Ana' }] };

test("a token at its limit leaves another account's p99 at most 1.2 times as long", async () => {
  const used = await agent(sleep(roundMs));
  const quiet: number[] = [];
  const beside: number[] = [];
  let refused = 0;
  for (let round = 0; round < rounds; round += 1) {
    quiet.push((await notice(sleep(roundMs))).p99);
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
