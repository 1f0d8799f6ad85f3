/**
 * A million contacts, exported whole and walked through under writers: memory, speed, and every
 * record once.
 */
import { createHash } from 'node:crypto';
import { Agent, get } from 'node:https';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client } from '../kit/http.ts';
import { Rest } from '../kit/rest.ts';
import { mostResident, openScene, residentOf, type Scene, tell } from './scene.ts';

const rows = Number(process.env['EXPORT_ROWS'] ?? 1_000_000);
/** One in this many records changes while the others are walked through. */
const restless = 100;

let scene: Scene;
let agent: Agent;
beforeAll(async () => {
  scene = await openScene({ STATEMENT_TIMEOUT: '30s', REQUEST_TIMEOUT: '30s' });
  agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  await scene.database.query(
    `INSERT INTO contacts (account_id, full_name, email, phone, app_type, label_list, custom_attributes, created_at)
     SELECT $1, 'Name ' || n::bigint * 7919 % 50000, 'e' || n || '@example.com', CASE WHEN n % 3 > 0 THEN '+55119' || n ELSE '' END,
       CASE WHEN n % 5 > 0 THEN 'app ' || n % 3 END, ARRAY['a', 'b ' || n % 10],
       json_build_object('city', 'City ' || n % 1000, 'seats', n), '2026-01-01'::timestamptz + make_interval(secs => n / 3)
     FROM generate_series(1, $2::int) AS n`,
    [scene.attacker.accountId, rows],
  );
  await scene.database.query('VACUUM ANALYZE contacts');
}, 600_000);
afterAll(() => scene.close());

const exportTo = (take: (line: string) => void, rest = '') =>
  new Promise<void>((resolve, reject) => {
    const { attacker, service } = scene;
    const path = `/api/v1/accounts/${attacker.accountId}/contacts/export?query[s]=id${rest}`;
    const headers = { authorization: `Bearer ${attacker.admin.token}` };
    get({ port: service.port, path, headers, agent }, (answer) => {
      const lines = createInterface({ input: answer });
      lines.on('line', take);
      lines.on('close', () => (answer.complete ? resolve() : reject(new Error('cut off'))));
    }).on('error', reject);
  });

test.each(['ndjson', 'csv'])('an export as %s is fast, and holds little', async (format) => {
  let count = 0;
  // V8 enlarges the young generation of a busy process once, so just as many rows go out before, in parts.
  for (let n = 0; n < 10; n++) {
    await exportTo(() => {}, `&query[id_lt]=${Math.ceil(rows / 10)}&format=${format}`);
  }
  const before = residentOf(scene.service);
  const began = performance.now();
  const done = exportTo(() => {
    count += 1;
  }, `&format=${format}`);
  const max = await mostResident(scene.service, done);
  await done;
  const each = count / ((performance.now() - began) / 1000);
  tell(`export as ${format}`, { rowsPerSecond: each, megabytesMore: max - before });
  expect(count).toBe(rows + Number(format === 'csv'));
  expect(max - before).toBeLessThan(30);
  expect(each).toBeGreaterThan(30_000);
});

test('an export is equal to the table', async () => {
  const digest = createHash('sha256');
  await exportTo((line) => {
    const { id, full_name, email, phone, app_type, custom_attributes: own } = JSON.parse(line);
    digest.update(JSON.stringify([id, full_name, email, phone, app_type, own.city, own.seats]));
  });
  const expected = createHash('sha256');
  for (let after = 0, found = 1; found > 0; ) {
    const page = await scene.database.query<{ id: number; row: string }>(
      `SELECT id::float, json_build_array(id, full_name, email, phone, app_type, custom_attributes->'city', custom_attributes->'seats') AS row
       FROM contacts WHERE account_id = $1 AND id > $2 ORDER BY id LIMIT 10000`,
      [scene.attacker.accountId, after],
    );
    for (const { row } of page) expected.update(JSON.stringify(row));
    after = page.at(-1)?.id ?? after;
    found = page.length;
  }
  expect(digest.digest('hex')).toBe(expected.digest('hex'));
});

interface Page {
  readonly data: readonly { readonly id: number; readonly full_name: string }[];
}

const restOf = () =>
  new Rest(new Client(scene.service.url), scene.attacker.accountId, scene.attacker.admin.token);

/** Creates, moves and removes contacts all over the order, until it is told to stop. */
async function write(isOver: () => boolean, ids: readonly number[]): Promise<number> {
  const rest = restOf();
  let writes = 0;
  for (; !isOver(); writes++) {
    const id = ids[(writes * 7919) % ids.length] ?? 0;
    const full_name = `Name ${(writes * 104_729) % 50_000}`;
    await rest.put(`/contacts/${id}`, { full_name, phone: '' });
    const { body } = await rest.post<{ id: number }>('/contacts', { full_name });
    if (writes % 2 === 0) await rest.delete(`/contacts/${body.id}`);
  }
  return writes;
}

test.each(['id asc', 'full_name asc', 'full_name desc', 'phone desc', 'created_at desc'])(
  'a walk by %s has all that stays once, while others write, at the price of its first pages',
  async (s) => {
    const moving = await scene.database.query<{ id: number }>(
      `SELECT id::float FROM contacts WHERE account_id = $1 AND id % ${restless} = 0 LIMIT 5000`,
      [scene.attacker.accountId],
    );
    const stays = await scene.database.query<{ id: number }>(
      `SELECT id::float FROM contacts WHERE account_id = $1 AND email <> '' AND id % ${restless} > 0`,
      [scene.attacker.accountId],
    );
    let over = false;
    const writing = write(
      () => over,
      moving.map(({ id }) => id),
    );
    const rest = restOf();
    const seen = new Map<number, number>();
    const times: number[] = [];
    let after: string | undefined;
    do {
      const began = performance.now();
      const search = { query: { s }, per_page: 100, count: 'none', ...(after && { after }) };
      const { body, headers, status } = await rest.post<Page>('/contacts/search', search);
      times.push(performance.now() - began);
      expect(status).toBe(200);
      for (const { id } of body.data) seen.set(id, (seen.get(id) ?? 0) + 1);
      const { 'x-next-cursor': next } = headers;
      after = next === undefined ? undefined : String(next);
    } while (after !== undefined && times.length < rows);
    over = true;
    const writes = await writing;
    const missed = stays.filter(({ id }) => !seen.has(id)).length;
    const twice = stays.filter(({ id }) => (seen.get(id) ?? 0) > 1).length;
    const tenth = Math.max(1, Math.floor(times.length / 10));
    const [first, last] = [median(times.slice(0, tenth)), median(times.slice(-tenth))];
    tell(`walk by ${s}`, { pages: times.length, writes, firstMs: first, lastMs: last });
    expect({ missed, twice }).toEqual({ missed: 0, twice: 0 });
    expect(last).toBeLessThan(2 * first);
  },
);

test.each(['app_type asc', 'app_type desc', 'app_id asc'])(
  'a page in the midst costs no more than two first ones, also without an index: %s',
  async (s) => {
    const rest = restOf();
    const timed = async (search: object) => {
      const times: number[] = [];
      let cursor = '';
      for (let n = 0; n < 5; n++) {
        const began = performance.now();
        const { headers } = await rest.post('/contacts/search', { query: { s }, ...search });
        times.push(performance.now() - began);
        cursor = String(headers['x-next-cursor']);
      }
      return { ms: median(times), cursor };
    };
    const first = await timed({});
    const { cursor } = await timed({ page: Math.floor(rows / 200), per_page: 100, count: 'none' });
    const later = await timed({ after: cursor });
    tell(`page by ${s}`, { firstMs: first.ms, midstMs: later.ms });
    expect(later.ms).toBeLessThan(2 * first.ms);
  },
);

const median = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
