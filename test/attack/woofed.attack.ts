/** An account of a second instance is brought here: how long that takes, and what kills do to it. */
import { spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { main } from '../kit/command.ts';
import { given } from '../kit/environment.ts';
import { type Service, secret, startService } from '../kit/service.ts';
import { until } from '../kit/wait.ts';
import { type World, world } from '../kit/world.ts';
import { tell } from './scene.ts';

const size = Number(process.env.WOOFED_SIZE ?? 2000);

let there: Service;
let here: Service;
let source: World;
let target: World;
beforeAll(async () => {
  const env = { LOG_LEVEL: 'error' };
  [there, here] = await Promise.all([startService({ env }), startService({ env })]);
  [source, target] = await Promise.all([world(there), world(here)]);
  const contacts = await all('contacts', (at) => ({ full_name: `Contact ${at}` }));
  const [, stage] = source.stageIds;
  const deals = await all('deals', (at) => ({
    ...{ name: `Deal ${at}`, contact_id: contacts[at] },
    stage_id: at % 3 === 0 ? stage : source.other.stageId,
  }));
  const product = await source.product({ name: 'Box' });
  await all('deal_products', (at) => ({ product_id: product.id, deal_id: deals[at] }));
  await all('events', (at) => ({ kind: 'note', content: `Note ${at}`, deal_id: deals[at] }));
  // So that their order is not that of their ids.
  for (const id of deals.slice(-20)) await source.updateDeal(id, { position: 1 });
});
afterAll(() => Promise.all([there.close(), here.close()]));

/** Creates as many as the account is to have of a kind; their ids. */
async function all(records: string, recordOf: (at: number) => object): Promise<readonly number[]> {
  const ids: number[] = [];
  while (ids.length < size) {
    const count = Math.min(500, size - ids.length);
    const batch = Array.from({ length: count }, (_, at) => recordOf(ids.length + at));
    const { body } = await source.rest.post<{ results: { id: number }[] }>(`/${records}/batch`, {
      ...{ operation: 'create', records: batch },
    });
    ids.push(...body.results.map(({ id }) => id));
  }
  return ids;
}

/** In a folder of its own, so that what it leaves there keeps no other from working beside it. */
async function bring(onStart?: (kill: () => void) => void) {
  const directory = await mkdtemp(join(tmpdir(), 'woofed-attack-'));
  const from = `${there.url}/api/v1/accounts/${source.accountId}`;
  const own = ['--account', String(target.accountId), '--user', target.admin.email];
  const child = spawn(process.execPath, [main, 'import', '--from', 'woofed', from, ...own], {
    cwd: directory,
    env: {
      ...process.env,
      DATABASE_URL: here.database.url,
      JWT_SECRET: secret,
      WOOFED_TOKEN: source.admin.token,
      NODE_EXTRA_CA_CERTS: given('CRM_TEST_CERT'),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onStart?.(() => child.kill('SIGKILL'));
  let out = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, out };
}

/** What is here of a kind, by the ids that it had. */
const brought = (table: string) =>
  here.database.query<{ all: number; different: number }>(
    `SELECT count(*) AS all, count(DISTINCT custom_attributes->>'woofed_id') AS different FROM ${table}
     WHERE account_id = $1 AND custom_attributes->>'woofed_id' IS NOT NULL`,
    [target.accountId],
  );

test('two at once, killed while they bring contacts, deals and events: each is here once, in its place', async () => {
  const began = performance.now();
  for (const table of ['contacts', 'deals', 'events'] as const) {
    const count = async () => (await brought(table))[0]?.all ?? 0;
    const isThird = until(count, (all) => all >= size / 3, 120_000);
    const killed = () => bring((kill) => void isThird.then(kill));
    const ended = await Promise.all([killed(), killed()]);
    expect({ table, codes: ended.map(({ code }) => code) }).toEqual({ table, codes: [null, null] });
    expect((await brought(table))[0]?.all).toBeLessThan(size);
  }
  const { code, out } = await bring();
  tell('woofed, killed', { size, seconds: (performance.now() - began) / 1000 });
  expect({ code, ...JSON.parse(out) }).toMatchObject({ code: 0, deals: { refused: 0 } });
  for (const table of ['contacts', 'deals', 'events']) {
    expect({ table, counts: await brought(table) }).toEqual({
      ...{ table, counts: [{ all: size, different: size }] },
    });
  }
  for (const table of ['deal_products', 'deal_assignees']) {
    expect({ table, count: await target.count(table) }).toEqual({
      ...{ table, count: table === 'deal_products' ? size : 0 },
    });
  }
  const [, talks] = source.stageIds;
  for (const [from, name] of [
    [talks, 'Talks'],
    [source.other.stageId, 'Lead'],
  ] as const) {
    const to = name === 'Talks' ? target.stageIds[1] : target.other.stageId;
    const { ids, positions } = await target.board(to);
    const original = new Map(
      (
        await here.database.query<{ id: number; was: number }>(
          `SELECT id, (custom_attributes->>'woofed_id')::bigint AS was FROM deals WHERE account_id = $1`,
          [target.accountId],
        )
      ).map(({ id, was }) => [id, was]),
    );
    expect(ids.map((id) => original.get(id))).toEqual((await source.board(from)).ids);
    expect(positions).toEqual(positions.map((_, at) => at + 1));
  }
});
