/** Clients that read nothing, ask for too much or hold locks, and what their neighbour notices. */

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Noticed, send } from './requests.ts';
import {
  again,
  descriptorsOf,
  mostResident,
  notice,
  noticeQuiet,
  openScene,
  residentOf,
  type Scene,
  silent,
  tell,
  written,
} from './scene.ts';

let scene: Scene;
let quiet: Noticed;
beforeAll(async () => {
  scene = await openScene();
  await fill(scene);
  quiet = await noticeQuiet(scene);
});
afterAll(() => scene.close());

const attackMs = 12_000;
let heavyContact = 0;

/** A contact with 500 deals of 64 KB, ten products of 64 KB, and 200,000 contacts with labels. */
async function fill({ attacker, database }: Scene): Promise<void> {
  const { id } = await attacker.contact({ full_name: 'Heavy' });
  heavyContact = id;
  const { accountId } = attacker;
  await database.query(
    `INSERT INTO deals (account_id, contact_id, pipeline_id, stage_id, rank, name, custom_attributes)
     SELECT $1, $2, $3, $4, i, 'deal ' || i, json_build_object('text', repeat(md5(i::text), 2040))
     FROM generate_series(1, 500) AS i`,
    [accountId, id, attacker.pipelineId, attacker.stageIds[0]],
  );
  await database.query('UPDATE stages SET deals_count = 500 WHERE id = $1', [attacker.stageIds[0]]);
  await database.query(
    `INSERT INTO products (account_id, name, description)
     SELECT $1, 'product ' || i, repeat(md5(i::text), 2040) FROM generate_series(1, 10) AS i`,
    [accountId],
  );
  await database.query(
    `INSERT INTO contacts (account_id, full_name, label_list)
     SELECT $1, 'contact ' || i, ARRAY['label ' || i % 100, 'vip'] FROM generate_series(1, 200000) AS i`,
    [accountId],
  );
  await database.query('VACUUM ANALYZE');
}

const asAttacker = (path: string, method = 'GET', body?: object | string) =>
  send(scene.service, {
    path: `/api/v1/accounts/${scene.attacker.accountId}${path}`,
    token: scene.attacker.admin.token,
    method,
    ...(body ? { body } : {}),
  });

const graphql = (query: string) =>
  send(scene.service, {
    path: '/graphql',
    token: scene.attacker.admin.token,
    method: 'POST',
    body: { query },
  });

/** What the neighbour notices during an attack, and the memory that it takes. */
async function under(name: string, attack: (end: Promise<unknown>) => Promise<unknown>) {
  const before = residentOf(scene.service);
  const descriptors = descriptorsOf(scene.service);
  const end = sleep(attackMs);
  const [noticed, max] = await Promise.all([
    notice(scene, end),
    mostResident(scene.service, end),
    attack(end),
  ]);
  const figures = { quiet, noticed, memory: max - before };
  tell(name, figures);
  return { ...figures, descriptors };
}

/** A reader that is not noticed: nobody refused, and answers nearly as fast as in quiet times. */
function expectUnnoticed(
  { noticed }: { readonly noticed: Noticed },
  times: number,
  max: number,
): void {
  expect(Object.keys(noticed.statuses)).toEqual(['200']);
  expect(noticed.p99).toBeLessThan(Math.min(max, Math.max(times * quiet.p99, times)));
}

test('answers of pages that nobody reads hold no place of others', async () => {
  const page = written('GET', '/docs').repeat(99);
  const script = /\/assets\/\w+\/swagger-ui\.js/.exec(
    (await scene.neighbour.service.client.send({ method: 'GET', path: '/docs' })).text,
  )?.[0];
  const figures = await under('unread pages', async (end) => {
    const sockets = await Promise.all(
      Array.from({ length: 8 }, () =>
        silent(scene.service, written('GET', script ?? '').repeat(2) + page),
      ),
    );
    await end;
    for (const socket of sockets) socket.destroy();
  });
  expect(script).toBeDefined();
  expectUnnoticed(figures, 5, 50);
  expect(figures.memory).toBeLessThan(300);
});

test('large answers that nobody reads neither fill the memory nor stop others', async () => {
  const { attacker, service } = scene;
  const path = `/api/v1/accounts/${attacker.accountId}/contacts/${heavyContact}`;
  const figures = await under('unread large answers', async (end) => {
    const sockets = await Promise.all(
      Array.from({ length: 63 }, () =>
        silent(service, written('GET', path, { token: attacker.admin.token })),
      ),
    );
    await end;
    for (const socket of sockets) socket.destroy();
  });
  expectUnnoticed(figures, 5, 50);
  expect(figures.memory).toBeLessThan(300);
});

test('bodies that hold as many values as they can delay nobody', async () => {
  const values = `[${'{},'.repeat(340_000)}{}]`;
  const record = Buffer.from(`{"custom_attributes":{"a":${values}}}`);
  const search = Buffer.from(`{"query":{"id_in":${values}}}`);
  const statuses = new Set<string>();
  const figures = await under('bodies of a megabyte of {}', (end) =>
    again(4, end, async (strand) => {
      const sent =
        strand % 2 === 0
          ? asAttacker('/contacts', 'POST', record)
          : asAttacker('/contacts/search', 'POST', search);
      statuses.add((await sent).status);
    }),
  );
  expect([...statuses]).toEqual(['422']);
  expectUnnoticed(figures, 5, 50);
  expect(figures.memory).toBeLessThan(300);
});

test('a document of many large answers is refused, and others go on', async () => {
  const { attacker } = scene;
  const one = `contact(account_id: ${attacker.accountId}, id: ${heavyContact}) { deals { custom_attributes } }`;
  const query = `{ ${Array.from({ length: 12 }, (_, n) => `a${n}: ${one}`).join(' ')} }`;
  const answers: string[] = [];
  const figures = await under('aliases of a large answer', (end) =>
    again(2, end, async () => {
      const { end: text } = await graphql(query);
      answers.push(text);
    }),
  );
  expect(answers.length).toBeGreaterThan(0);
  for (const text of answers) expect(text).toMatch(/more than 32 MiB|large answers|is busy/);
  expectUnnoticed(figures, 5, 50);
  expect(figures.memory).toBeLessThan(300);
});

test('large answers one after the other leave others their time', async () => {
  const statuses = new Map<string, number>();
  const figures = await under('large answers that are read', (end) =>
    again(1, end, async () => {
      const { status } = await asAttacker(`/contacts/${heavyContact}`);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }),
  );
  expect([...statuses.keys()]).toEqual(['200']);
  tell('of which', Object.fromEntries(statuses));
  expectUnnoticed(figures, 10, 100);
});

test('a document of twenty heavy root fields leaves others their time', async () => {
  const { attacker } = scene;
  const one = `products(account_id: ${attacker.accountId}) { data { name description } }`;
  const query = `{ ${Array.from({ length: 20 }, (_, n) => `a${n}: ${one}`).join(' ')} }`;
  const figures = await under('twenty heavy root fields', (end) =>
    again(1, end, () => graphql(query)),
  );
  expectUnnoticed(figures, 10, 1000);
});

test('heavy searches at the same time leave others their connections', async () => {
  const figures = await under('ten heavy searches', (end) =>
    again(10, end, (n) =>
      asAttacker('/contacts/search', 'POST', { query: { label_list_not_cont: `no ${n}` } }),
    ),
  );
  expectUnnoticed(figures, 10, 1000);
});

test('writers that wait for one row leave others their connections', async () => {
  const { database } = scene;
  const [deal] = await database.query<{ id: number }>('SELECT id FROM deals LIMIT 1');
  const letGo = await database.hold('SELECT FROM deals WHERE id = $1 FOR UPDATE', [deal?.id]);
  const statuses = new Set<string>();
  const figures = await under('forty writers of a locked row', (end) =>
    again(40, end, async (n) => {
      const { status } = await asAttacker(`/deals/${deal?.id}`, 'PUT', { name: `name ${n}` });
      statuses.add(status);
    }),
  );
  await letGo();
  expect([...statuses]).toEqual(['503']);
  expectUnnoticed(figures, 10, 1000);
});

test('afterwards descriptors are back', async () => {
  await sleep(1000);
  expect(descriptorsOf(scene.service)).toBeLessThan(100);
});
