/**
 * What people type, in an account of a million contacts and in small ones: how long the answers take alone, and what
 * a neighbour notices of a member who asks for one and two letters without end. `FINDING_CONTACTS` and
 * `FINDING_ACCOUNTS` for fewer, `FINDING_TEXTS` for more texts of each kind.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { World } from '../kit/world.ts';
import { growingMs } from './million.ts';
import { fill, type Typed, typedIn } from './people.ts';
import { type Noticed, noticed, type Sent, send } from './requests.ts';
import { again, notice, noticeQuiet, openScene, type Scene, tell } from './scene.ts';

const contacts = Number(process.env['FINDING_CONTACTS'] ?? 1_000_000);
const accounts = Number(process.env['FINDING_ACCOUNTS'] ?? 10_000);
const texts = Number(process.env['FINDING_TEXTS'] ?? 300);
const attackMs = 20_000;
/** What comes first warms what all of them take. */
const warming = 20;
/** Of the small accounts, how many are asked. */
const visited = 20;
/** As many as its clients may have at work at once. */
const strands = 4;
/** In so short a time a neighbour's answers vary by themselves. */
const floorMs = 10;

let scene: Scene;
let small: World[];
let quiet: Noticed;
beforeAll(async () => {
  scene = await openScene();
  small = [];
  for (let n = 0; n < visited; n++) small.push(await scene.account());
  const large = { account: scene.attacker, contacts };
  await fill(scene.database, large, { few: small, accounts, contacts: 100 });
  quiet = await noticeQuiet(scene);
}, growingMs);
afterAll(() => scene.close());

const graphql = ({ accountId, member: { token } }: World, field: string): Sent => ({
  path: '/graphql',
  method: 'POST',
  token,
  body: { query: `{ answer: ${field.replace('(', `(account_id: ${accountId}, `)} }` },
});

type Ask = (w: World, text: string) => Sent;

const byQ: Ask = ({ accountId, member: { token } }, q) => ({
  path: `/api/v1/accounts/${accountId}/contacts/search`,
  method: 'POST',
  token,
  body: { query: { q } },
});
const part = '{ field from to }';
const byFind: Ask = (w, q) =>
  graphql(
    w,
    `find(q: ${JSON.stringify(q)}) { contacts { id full_name email phone highlights ${part} }
      deals { id name status stage { id name } contact { id full_name } highlights ${part} }
      products { id name identifier highlights ${part} } users { id full_name email highlights ${part} } match }`,
  );
const withMatch: Ask = (w, q) =>
  graphql(
    w,
    `contacts(query: { q: ${JSON.stringify(q)} }) { data { id full_name email phone } match }`,
  );

interface Question {
  readonly typed: keyof Typed;
  readonly ask: Ask;
  /** Milliseconds within which 99 of 100 answers of small accounts come, and half of those of the large one. */
  readonly ms: { readonly small: number; readonly large: number };
}

const questions: Readonly<Record<string, Question>> = {
  'two words as q': { typed: 'two', ask: byQ, ms: { small: 25, large: 25 } },
  'anything in all kinds': { typed: 'anything', ask: byFind, ms: { small: 60, large: 60 } },
  'what is similar': { typed: 'wrong', ask: withMatch, ms: { small: 60, large: 60 } },
  'what is similar in all kinds': { typed: 'wrong', ask: byFind, ms: { small: 60, large: 150 } },
};

describe.each([
  ['large', () => [scene.attacker]],
  ['small', () => small],
] as const)('alone in %s accounts', (size, worlds) => {
  test.each(Object.entries(questions))(
    '%s',
    async (name, { typed, ask, ms: bounds }) => {
      const asked: { readonly w: World; readonly text: string }[] = [];
      for (const w of worlds()) {
        const each = await typedIn(w, Math.ceil((warming + texts) / worlds().length));
        asked.push(...each[typed].map((text) => ({ w, text })));
      }
      const all: { readonly ms: number; readonly text: string }[] = [];
      const statuses: Record<string, number> = {};
      for (const [at, { w, text }] of asked.entries()) {
        const began = performance.now();
        const { status, end } = await send(scene.service, ask(w, text));
        const ms = performance.now() - began;
        expect([text, status, /"errors":/.test(end)]).toEqual([text, '200', false]);
        if (at < warming) continue;
        all.push({ ms, text });
        const match = /"match":"(\w+)"/.exec(end)?.[1] ?? 'counted';
        statuses[match] = (statuses[match] ?? 0) + 1;
      }
      const slowest = all.toSorted((one, other) => other.ms - one.ms).slice(0, 5);
      const figures = noticed(
        all.map(({ ms }) => ms),
        statuses,
      );
      tell(`${name}, ${size}`, { texts: all.length, ...figures, slowest });
      expect(size === 'large' ? figures.p50 : figures.p99).toBeLessThanOrEqual(bounds[size]);
    },
    600_000,
  );
});

test('a neighbour waits at most twice as long beside a member who asks for one and two letters', async () => {
  const letters = 'maria jose ana joao silva santos oliveira souza'
    .split(' ')
    .flatMap((name) => [name.slice(0, 1), name.slice(0, 2)]);
  const statuses: Record<string, number> = {};
  let at = 0;
  const end = sleep(attackMs);
  const [beside] = await Promise.all([
    notice(scene, end),
    again(strands, end, async () => {
      const ask = [byQ, byFind][at % 2] ?? byQ;
      const { status } = await send(
        scene.service,
        ask(scene.attacker, letters[(at++ >> 1) % letters.length] ?? ''),
      );
      statuses[status] = (statuses[status] ?? 0) + 1;
    }),
  ]);
  tell('beside one and two letters', { quiet, beside, statuses });
  expect(Object.keys(beside.statuses)).toEqual(['200']);
  expect(beside.p99).toBeLessThanOrEqual(2 * Math.max(quiet.p99, floorMs));
}, 60_000);
