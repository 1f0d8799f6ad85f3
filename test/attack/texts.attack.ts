/** Texts of all classes of characters and of up to a mebibyte, through every door, as another account notices them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { main } from '../kit/command.ts';
import { given } from '../kit/environment.ts';
import { workerOf } from '../kit/process.ts';
import { nastyText } from '../property/reading_times.ts';
import { type Noticed, type Sent, send } from './requests.ts';
import { again, notice, noticeQuiet, openScene, type Scene, tell } from './scene.ts';

let scene: Scene;
let quiet: Noticed;
/** The process that served at first. */
let worker: number;
/** Of the attacker. */
let contact: number;
beforeAll(async () => {
  scene = await openScene();
  quiet = await noticeQuiet(scene);
  worker = workerOf(scene.service);
  contact = (await scene.attacker.contact()).id;
}, 60_000);
afterAll(() => scene.close());

/** Requests of each kind, and how many of them are out at a time. */
const count = Number(process.env.TEXTS ?? 200);
const inFlight = 8;
const sizes = { min: 10, max: 1024 * 1024 } as const;

/** A quiet p99 of a millisecond or two would make a verdict of what the machine does beside it. */
const floorMs = 10;

/** The text of a request: the sizes grow by the same factor from one to the next. */
const textOf = (at: number): string =>
  nastyText(at, Math.round(sizes.min * (sizes.max / sizes.min) ** (at / (count - 1))));

/** As a header may hold it. */
const inHeader = (text: string): string =>
  Buffer.from(text)
    .toString('latin1')
    .replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, ' ');

const inUrl = (text: string): string => encodeURIComponent(text.toWellFormed());
const packed = (text: string): string => Buffer.from(text).toString('base64url');

/** Headers that are read by more than a comparison. */
const headers = [
  ...[
    'authorization',
    'cookie',
    'if-match',
    'if-none-match',
    'prefer',
    'idempotency-key',
    'accept',
  ],
  ...[
    'accept-encoding',
    'x-forwarded-for',
    'x-request-id',
    'last-event-id',
    'user-agent',
    'origin',
  ],
] as const;

/** Makes a request of a text that has about the size of the request, whatever times it stands in it. */
type Door = (text: string, at: number) => Sent;

/** Has a door put a text into several places, a part of it into each. */
const inPlaces =
  (places: number, door: Door): Door =>
  (text, at) =>
    door(text.slice(0, Math.ceil(text.length / places)), at);

/** A request of the attacker within the account. */
const of = (path: string, sent: Omit<Sent, 'path'> = {}): Sent => ({
  path: `/api/v1/accounts/${scene.attacker.accountId}${path}`,
  token: scene.attacker.admin.token,
  ...sent,
});
const post = (path: string, body: object | string): Sent => of(path, { method: 'POST', body });
const graphql = (query: string, variables: object = {}): Sent => ({
  ...{ path: '/graphql', method: 'POST', token: scene.attacker.admin.token },
  body: { query, variables },
});

const doors: Readonly<Record<string, Door>> = {
  'the e-mail of a sign-in': (email) => ({
    ...{ path: '/session', method: 'POST', body: { email, password: 'x' } },
    headers: { 'sec-fetch-site': 'same-origin' },
  }),
  'the fields of a contact': inPlaces(5, (text, at) =>
    post('/contacts', {
      ...(at % 2 === 0 ? { email: text } : { email: `a@${text}` }),
      ...{ full_name: text, phone: text, label_list: text, custom_attributes: { [text]: text } },
    }),
  ),
  'the fields of a user': inPlaces(5, (text) =>
    post('/users', { full_name: text, email: text, password: text, phone: text, language: text }),
  ),
  'the fields of a deal and an event': inPlaces(4, (text, at) =>
    at % 2 === 0
      ? post('/deals', { name: text, stage_id: text, status: text, won_at: text, contact_id: 1 })
      : post('/deals/1/events', { kind: text, content: text, scheduled_at: text, title: text }),
  ),
  'a body that is only that': (text, at) =>
    post('/contacts', at % 2 === 0 ? text : `{"full_name":"${text}`),
  'the records of a batch': inPlaces(5, (text) =>
    post('/contacts/batch', {
      operation: 'upsert',
      records: [{ email: text }, { full_name: text, phone: text }, { label_list: [text, text] }],
    }),
  ),
  'the conditions of a search': inPlaces(5, (text, at) =>
    post('/contacts/search', {
      query:
        at % 2 === 0
          ? { full_name_cont: text, email_in: [text], created_at_gteq: text, s: text, m: text }
          : { [text]: 1, [`${text}_eq`]: text, g: [{ [text]: text }] },
    }),
  ),
  'a document': (text) => graphql(text),
  'a text in a document': (text) =>
    graphql(
      `{ contacts(account_id: 1, query: {full_name_cont: ${JSON.stringify(text)}}) { data { id } } }`,
    ),
  'the variables of a document': inPlaces(3, (text) =>
    graphql(
      `mutation ($account: Integer!, $input: ContactInput!) {
        create_contact(account_id: $account, input: $input) { id } }`,
      { account: scene.attacker.accountId, input: { full_name: text, email: text, [text]: text } },
    ),
  ),
  cursors: (text, at) => {
    const cursor = at % 3 === 0 ? 'aaaaaaaaaaa.'.repeat(text.length / 12) : text;
    const after = at % 2 === 0 ? packed(`${cursor}!`) : cursor;
    if (at % 4 < 2) return post('/contacts/search', { query: {}, after });
    return graphql(
      'query ($account: Integer!, $after: String) { changes(account_id: $account, after: $after) { data { id } } }',
      { account: scene.attacker.accountId, after },
    );
  },
  headers: (text, at) => {
    const name = headers[at % headers.length] ?? 'prefer';
    const value = name === 'last-event-id' ? packed(text) : inHeader(text);
    return of(`/contacts/${contact}`, { headers: { [name]: value } });
  },
  'query strings': (text, at) => {
    const [path, name] = [
      ['/contacts/search', `query[full_name_cont]=${inUrl(text)}`],
      ['/contacts/search', `query[${inUrl(text)}]=1`],
      ['/contacts/search', text.replaceAll(/[^\x21-\x7e]|#/g, '&a[')],
      ['/changes', `after=${packed(text)}`],
      [`/contacts/${contact}`, `fields=${inUrl(text)}`],
    ][at % 5] ?? ['', ''];
    return of(`${path}?${name}`);
  },
  paths: (text) => of(`/${inUrl(text)}`),
};

/** What a client may be told, or become of a connection whose request has too long a head. */
const expected = /^(?:2..|4..|write EPIPE|read ECONNRESET|socket hang up)$/;

/** Sends what a door takes, while the neighbour fetches a record. */
async function flood(door: Door): Promise<{ seen: Noticed; statuses: Record<string, number> }> {
  const statuses: Record<string, number> = {};
  let at = 0;
  const strand = async () => {
    while (at < count) {
      const n = at++;
      const { status } = await send(scene.service, door(textOf(n), n));
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  const sending = Promise.all([sleep(2000), ...Array.from({ length: inFlight }, strand)]);
  const seen = await notice(scene, sending);
  await sending;
  return { seen, statuses };
}

function expectUnnoticed({ p99, statuses }: Noticed): void {
  expect(Object.keys(statuses)).toEqual(['200']);
  expect(p99).toBeLessThan(5 * Math.max(quiet.p99, floorMs));
  expect(workerOf(scene.service)).toBe(worker);
}

test.each(Object.entries(doors))(
  'a neighbour hardly notices texts in %s',
  async (name, door) => {
    const { seen, statuses } = await flood(door);
    tell(name, { quiet: quiet.p99, p50: seen.p50, p99: seen.p99, max: seen.max, statuses });
    for (const status of Object.keys(statuses)) expect(status).toMatch(expected);
    expectUnnoticed(seen);
  },
  120_000,
);

test('a neighbour hardly notices texts in cells of a file that is imported over the network', async () => {
  const { attacker, service } = scene;
  const directory = await mkdtemp(join(tmpdir(), 'texts-attack-'));
  const cell = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const row = (at: number) => {
    const text = cell(textOf(at));
    return [text, text, text, text].map((of, column) => (at % 4 === column ? of : 'x')).join(',');
  };
  const rows = Array.from({ length: count }, (_, at) => row(at));
  const file = join(directory, 'people.csv');
  await writeFile(file, ['full_name,email,phone,label_list', ...rows].join('\r\n'));
  const args = ['import', 'contacts', file, '--account', String(attacker.accountId)];
  const importing = spawn(process.execPath, [main, ...args, '--url', service.url], {
    env: {
      ...process.env,
      CRM_TOKEN: attacker.admin.token,
      NODE_EXTRA_CA_CERTS: given('CRM_TEST_CERT'),
    },
    stdio: 'ignore',
  });
  const seen = await notice(scene, Promise.all([once(importing, 'exit'), sleep(2000)]));
  await rm(directory, { recursive: true });
  tell('cells', { quiet: quiet.p99, p50: seen.p50, p99: seen.p99, code: importing.exitCode });
  // Rows were refused.
  expect(importing.exitCode).toBe(1);
  expectUnnoticed(seen);
}, 120_000);

test('large bodies of an account hardly wait for what those of another one took', async () => {
  const { neighbour, attacker, service, onlooker } = scene;
  const { id } = await neighbour.contact();
  const update = {
    port: service.port,
    path: `/api/v1/accounts/${neighbour.accountId}/contacts/${id}`,
    token: neighbour.admin.token,
    method: 'PUT',
    body: JSON.stringify({
      custom_attributes: { note: 'x'.repeat(60_000) },
      ignored: 'y'.repeat(40_000),
    }),
  };
  await onlooker.notice(update, sleep(2000));
  const alone = await onlooker.notice(update, sleep(4000));
  const end = sleep(8000);
  const record = {
    full_name: 'a',
    custom_attributes: Object.fromEntries(Array.from({ length: 4000 }, (_, n) => [`k${n}`, n])),
  };
  const body = JSON.stringify({ operation: 'create', records: Array(14).fill(record) });
  const statuses: Record<string, number> = {};
  const flooding = again(inFlight, end, async () => {
    const path = `/api/v1/accounts/${attacker.accountId}/contacts/batch`;
    const sent = { path, method: 'POST', token: attacker.admin.token, body };
    const { status } = await send(service, sent);
    statuses[status] = (statuses[status] ?? 0) + 1;
  });
  const seen = await onlooker.notice(update, end);
  await flooding;
  tell('large bodies of two accounts', { alone, seen, statuses, bytes: body.length });
  expect(Object.keys(seen.statuses)).toEqual(['200']);
  expect(seen.p99).toBeLessThan(5 * Math.max(alone.p99, floorMs));
}, 60_000);
