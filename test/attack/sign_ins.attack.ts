/** Floods of sign-ins, and what those notice who only want to work, or to sign in themselves. */
import { Agent } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { hashPassword } from '../../src/auth/passwords.ts';
import { type Noticed, send } from './requests.ts';
import { again, notice, noticeQuiet, openScene, type Scene, tell } from './scene.ts';

let scene: Scene;
let quiet: Noticed;
beforeAll(async () => {
  scene = await openScene();
  await scene.database.query('UPDATE users SET password_hash = $2 WHERE id = $1', [
    scene.neighbour.member.id,
    await hashPassword('correct horse', 'test'),
  ]);
  quiet = await noticeQuiet(scene);
});
afterAll(() => scene.close());

const attackMs = 12_000;

/** A client of its own: every address of 127.0.0.0/8 is this machine's. */
const clientAt = (localAddress: string) =>
  new Agent({ keepAlive: true, rejectUnauthorized: false, localAddress });

const signIn = (agent: Agent, email: string, password: string) =>
  send(
    scene.service,
    {
      path: '/session',
      method: 'POST',
      body: { email, password },
      headers: { 'sec-fetch-site': 'same-origin' },
    },
    agent,
  );

/** What the neighbour notices, and what becomes of people who sign in, while `clients` guess passwords. */
async function under(name: string, clients: number, strands: number) {
  const agents = Array.from({ length: clients }, (_, n) => clientAt(`127.1.${clients}.${n + 1}`));
  const statuses: Record<string, number> = {};
  const innocent: string[] = [];
  const end = sleep(attackMs);
  const [noticed] = await Promise.all([
    notice(scene, end),
    again(strands, end, async (strand) => {
      const agent = agents[strand % clients];
      if (!agent) return;
      const { status } = await signIn(agent, `guess${Math.random()}@example.com`, 'wrong');
      statuses[status] = (statuses[status] ?? 0) + 1;
    }),
    again(1, end, async () => {
      const agent = clientAt(`127.2.${clients}.${1 + (innocent.length % 250)}`);
      innocent.push((await signIn(agent, scene.neighbour.member.email, 'correct horse')).status);
      agent.destroy();
      await sleep(500);
    }),
  ]);
  for (const agent of agents) agent.destroy();
  tell(name, { quiet, noticed, statuses, innocent: innocent.length });
  return { noticed, statuses, innocent };
}

function expectUnnoticed({ noticed, innocent }: Awaited<ReturnType<typeof under>>): void {
  expect(Object.keys(noticed.statuses)).toEqual(['200']);
  expect(noticed.p99).toBeLessThan(2 * Math.max(quiet.p99, 5));
  expect([innocent.length > 1, new Set(innocent)]).toEqual([true, new Set(['201'])]);
}

test('one client that guesses without end is refused, and noticed by nobody', async () => {
  const attack = await under('one client', 1, 32);
  expectUnnoticed(attack);
  expect(attack.statuses['401'] ?? 0).toBeLessThanOrEqual(50);
});

test('thirty clients that guess without end wait for each other, and for nobody else', async () => {
  const attack = await under('thirty clients', 30, 120);
  expectUnnoticed(attack);
  expect(attack.statuses['401'] ?? 0).toBeLessThanOrEqual(30 * 50);
});
