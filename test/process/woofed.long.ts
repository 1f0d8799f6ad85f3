/**
 * Bringing an account of the system whose API the service speaks, from a second instance of it and
 * from files.
 */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import { runCommand } from '../kit/command.ts';
import { readCsv } from '../kit/csv.ts';
import { given } from '../kit/environment.ts';
import type { Contact, Deal, Event } from '../kit/records.ts';
import { type Service, secret, startService } from '../kit/service.ts';
import { type World, world } from '../kit/world.ts';

// Whole processes are started, on machines that may be busy.
jest.setTimeout(60_000);

let there: Service;
let here: Service;
let source: World;
let target: World;
let directory: string;
beforeAll(async () => {
  [there, here] = await Promise.all([startService(), startService()]);
  directory = await mkdtemp(join(tmpdir(), 'woofed-'));
});
afterAll(async () => {
  await Promise.all([there.close(), here.close()]);
  await rm(directory, { recursive: true });
});

/** Accounts of the same people, the one here without pipelines. */
beforeEach(async () => {
  [source, target] = await Promise.all([world(there), world(here)]);
  await here.database.query('DELETE FROM stages WHERE account_id = $1', [target.accountId]);
  await here.database.query('DELETE FROM pipelines WHERE account_id = $1', [target.accountId]);
  const rename = 'UPDATE users SET email = $2 WHERE account_id = $1 AND id = $3';
  await here.database.query(rename, [target.accountId, source.admin.email, target.admin.id]);
  await here.database.query(rename, [target.accountId, source.member.email, target.member.id]);
});

const urlOf = ({ accountId }: World) => `${there.url}/api/v1/accounts/${accountId}`;

async function bring(from: string, ...more: string[]) {
  const own = ['--account', String(target.accountId), '--user', source.admin.email];
  const report = join(directory, `refused-${target.accountId}.csv`);
  const { code, out, err } = await runCommand(
    ['import', '--from', 'woofed', from, ...own, '--report', report, ...more],
    {
      DATABASE_URL: here.database.url,
      JWT_SECRET: secret,
      WOOFED_TOKEN: source.admin.token,
      NODE_EXTRA_CA_CERTS: given('CRM_TEST_CERT'),
    },
  );
  return { code, err, out: out === '' ? undefined : JSON.parse(out), report };
}

const found = async <T>(at: World, path: string, query = {}): Promise<readonly T[]> =>
  (await at.rest.post<{ data: T[] }>(`${path}/search`, { query, per_page: 100 })).body.data;

const none = { created: 0, there: 0, refused: 0 };

test('an account of a second instance comes with all that the API tells of it, once', async () => {
  const contact = await source.contact({
    full_name: 'Ana',
    email: 'ana@x.test',
    phone: '+4930901820',
    label_list: ['vip', 'alt, treu'],
  });
  const exact = '{"z":12345678901234567890,"a":null}';
  await there.database.query(
    "UPDATE contacts SET custom_attributes = $2, created_at = '2019-02-28T12:00:00Z' WHERE id = $1",
    [contact.id, exact],
  );
  const product = await source.product({ identifier: 'P-1', name: 'Box', amount_in_cents: 300 });
  const [, talks] = source.stageIds;
  const of = { contact_id: contact.id, stage_id: talks };
  const second = await source.deal({ ...of, name: 'Second' });
  const first = await source.deal({ ...of, name: 'First', position: 1, status: 'won' });
  await source.updateDeal(first.id, { won_at: '2020-01-01T00:00:00Z' });
  await source.dealProduct({ deal_id: second.id, product_id: product.id, quantity: 2 });
  await source.rest.post('/deal_assignees', { deal_id: second.id, user_id: source.member.id });
  const note = { kind: 'note', content: 'Called', custom_attributes: { by: 'phone' } };
  await source.rest.post(`/deals/${second.id}/events`, note);
  await source.rest.post(`/contacts/${contact.id}/events`, { kind: 'activity', title: 'Write' });

  const rehearsed = await bring(urlOf(source), '--keep-ids', '--dry-run');
  const all = {
    contacts: { ...none, created: 1 },
    products: { ...none, created: 1 },
    deals: { ...none, created: 2 },
    events: { ...none, created: 2 },
    users_missing: [],
    left_out: { deal_opened: 2, deal_product_added: 1 },
    report: null,
  };
  expect(rehearsed).toMatchObject({ code: 0, err: '', out: { dry_run: true, ...all } });
  for (const table of ['contacts', 'pipelines', 'deals', 'events', 'audit_entries']) {
    expect({ table, count: await target.count(table) }).toEqual({ table, count: 0 });
  }

  expect(await bring(urlOf(source), '--keep-ids')).toMatchObject({
    ...{ code: 0, err: '', out: { dry_run: false, ...all } },
  });
  const [ana] = await found<Contact>(target, '/contacts');
  expect(ana).toMatchObject({
    ...{ full_name: 'Ana', email: 'ana@x.test', phone: '+4930901820' },
    ...{ label_list: ['vip', 'alt, treu'], created_at: '2019-02-28T12:00:00.000Z' },
  });
  const [stored] = await here.database.query<{ custom_attributes: string }>(
    'SELECT custom_attributes::text FROM contacts WHERE id = $1',
    [ana?.id],
  );
  expect(stored?.custom_attributes).toBe(exact.replace('}', `,"woofed_id":${contact.id}}`));
  const deals = await found<Deal>(target, '/deals', { s: 'position' });
  expect(deals).toMatchObject([
    {
      ...{ name: 'First', status: 'won', won_at: '2020-01-01T00:00:00.000Z', position: 1 },
      custom_attributes: { woofed_id: first.id },
    },
    { name: 'Second', stage_id: talks, pipeline_id: source.pipelineId, position: 2 },
  ]);
  const whole = await target.fetchDeal(deals[1]?.id ?? 0);
  expect(whole).toMatchObject({
    contact_id: ana?.id,
    created_by_id: target.admin.id,
    stage: { name: 'Talks', position: 2 },
    pipeline: { name: 'Sales' },
    deal_assignees: [{ user_id: target.admin.id }, { user_id: target.member.id }],
    deal_products: [{ product_name: 'Box', quantity: 2, unit_amount_in_cents: 300 }],
    total_deal_products_amount_in_cents: 600,
  });
  const events = await found<Event>(target, '/events', { kind_in: ['note', 'activity'] });
  expect(events).toMatchObject([
    { kind: 'note', content: 'Called', deal_id: whole.id, custom_attributes: { by: 'phone' } },
    { kind: 'activity', title: 'Write', deal_id: null },
  ]);
  const { body } = await target.rest.post<{ id: number }>('/pipelines', { name: 'New' });
  expect(body.id).toBeGreaterThan(Math.max(source.pipelineId, source.other.pipelineId));

  await source.contact({ full_name: 'Bo' });
  expect(await bring(urlOf(source), '--keep-ids')).toMatchObject({
    code: 0,
    out: {
      contacts: { ...none, created: 1, there: 1 },
      products: { ...none, there: 1 },
      deals: { ...none, there: 2 },
      events: { ...none, there: 2 },
    },
  });
});

test('files of its answers come to pipelines of the same names, and what is refused is told', async () => {
  const folder = join(directory, 'answers');
  await mkdir(join(folder, 'deals'), { recursive: true });
  const keep = (name: string, answer: unknown) =>
    writeFile(join(folder, name), JSON.stringify(answer));
  const odd = {
    label_list: 'vip, cliente',
    custom_attributes: '{"city":"Recife"}',
    created_at: '2020-05-01T09:00:00.000-03:00',
  };
  await keep('users-1.json', { data: [{ id: 4, email: 'NOBODY@x.test' }] });
  await keep('contacts-1.json', {
    data: [
      { id: 7, full_name: 'Ana', email: null, phone: '', ...odd },
      { id: '8', full_name: 'Bo', email: 'none', custom_attributes: null },
    ],
  });
  await keep('products.json', [{ id: 3, name: 'Box', amount_in_cents: '300' }]);
  const stage = { id: 12, name: 'Talks', pipeline_id: 2, position: 1 };
  const deal = { stage_id: 12, created_by_id: 4, stage, pipeline: { id: 2, name: 'Sales' } };
  const lines = [{ id: 1, product_id: 3, quantity: '2', product_name: 'Old box' }];
  await keep('deals/20.json', {
    id: 20,
    name: 'One',
    contact_id: 7,
    ...deal,
    deal_products: lines,
  });
  await keep('deals/21.json', { id: 21, name: 'Two', contact_id: 8, ...deal, deal_products: [] });
  await target.rest.post('/pipelines', { name: 'Sales' });
  expect(await bring(folder, '--keep-ids')).toMatchObject({
    code: 1,
    err: 'The account has pipelines of its own: ids are kept in one that has none\n',
  });

  const told = {
    contacts: { ...none, created: 1, refused: 1 },
    products: { ...none, created: 1 },
    deals: { ...none, created: 1, refused: 1 },
    events: none,
    users_missing: ['nobody@x.test'],
    left_out: {},
  };
  for (const more of [['--dry-run'], []]) {
    const { code, out, report } = await bring(folder, ...more);
    expect({ code, out }).toEqual({
      code: 1,
      out: { dry_run: more.length > 0, ...told, report },
    });
    expect(readCsv(await readFile(report, 'utf8'))).toEqual([
      ['records', 'id', 'errors'],
      ['contacts', '8', 'Email is invalid'],
      ['deals', '21', 'Contact 8 did not come here'],
    ]);
    expect(await target.count('contacts')).toBe(more.length > 0 ? 0 : 1);
  }
  expect(await found<Contact>(target, '/contacts')).toMatchObject([
    {
      ...{ full_name: 'Ana', label_list: ['vip', 'cliente'] },
      custom_attributes: { city: 'Recife', woofed_id: 7 },
      created_at: '2020-05-01T12:00:00.000Z',
    },
  ]);
  const [made] = await found<Deal>(target, '/deals');
  expect(await target.fetchDeal(made?.id ?? 0)).toMatchObject({
    ...{ created_by_id: target.admin.id, total_deal_products_amount_in_cents: 600 },
    ...{ pipeline: { name: 'Sales' }, stage: { name: 'Talks' } },
    deal_products: [{ product_name: 'Old box' }],
  });
  expect(await target.count('pipelines')).toBe(1);
  expect(existsSync(`${folder}.import.json`)).toBe(false);
});

/** Answers as the live system may: few records a page, ids as texts, no more paths than are specified. */
async function liveSystem(answerOf: (path: string, body: Query) => object | number) {
  const asked: { readonly path: string; readonly at: number }[] = [];
  const server = createServer(async (request, response) => {
    const path = (request.url ?? '').replace('/api/v1/accounts/7/', '');
    const body = await text(request);
    asked.push({ path, at: performance.now() });
    const answer = answerOf(path, body === '' ? { query: { id_gt: 0 } } : JSON.parse(body));
    if (typeof answer === 'number') response.writeHead(answer, { 'retry-after': '1' }).end();
    else response.end(JSON.stringify(answer));
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const url = `http://localhost:${port}/api/v1/accounts/7`;
  return { url, asked, close: () => server.close() };
}

interface Query {
  readonly query: { readonly id_gt: number };
}

test('a source that asks for patience and knows no other paths is read all the same', async () => {
  const contacts = [1, 2, 3].map((id) => ({
    ...{ id: String(id), full_name: `C${id}`, phone: null, custom_attributes: null },
    created_at: '2020-05-01 12:00:00 UTC',
  }));
  const deal = {
    id: 5,
    contact_id: '3',
    stage_id: '12',
    position: null,
    lost_at: null,
    name: null,
  };
  const stage = { id: 12, name: '', position: 1 };
  const events = [
    { id: 1, kind: 'activity', title: 'Call', deal_id: 5, files: [{}], done: true },
    { id: 2, kind: 'deal_opened', deal_id: 5 },
  ];
  let isFirst = true;
  const live = await liveSystem((path, { query }) => {
    if (isFirst) {
      isFirst = false;
      return 429;
    }
    const after = <T extends { readonly id: unknown }>(all: readonly T[]) => ({
      data: all.filter(({ id }) => Number(id) > query.id_gt).slice(0, 2),
    });
    if (path === 'users/search') return { data: [], pagination: {} };
    if (path === 'contacts/search') return after(contacts);
    if (path === 'products/search') return after([]);
    if (path === 'deals/search') return after([deal]);
    if (path === 'deals/5') return { ...deal, stage, pipeline: { id: 2, name: 'Vendas' } };
    if (path === 'contacts/3') return { ...contacts[2], events };
    return path.startsWith('contacts/') ? { id: 1, events: null } : 404;
  });
  const brought = await bring(live.url, '--keep-ids');
  live.close();
  expect(brought).toMatchObject({
    code: 0,
    out: {
      contacts: { ...none, created: 3 },
      deals: { ...none, created: 1 },
      events: { ...none, created: 1 },
      left_out: { deal_opened: 1, files: 1 },
    },
  });
  const [first, second] = live.asked;
  expect(second?.path).toBe(first?.path);
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(990);
  expect(live.asked.filter(({ path }) => path === 'events/search')).toHaveLength(1);
  expect(await found<Deal>(target, '/deals')).toMatchObject([{ stage_id: 12, pipeline_id: 2 }]);
  expect(await found(target, '/stages')).toMatchObject([{ id: 12, name: 'Stage 12' }]);
  expect(await found<Contact>(target, '/contacts', { s: 'id' })).toMatchObject([
    { full_name: 'C1', phone: '', created_at: '2020-05-01T12:00:00.000Z' },
    { full_name: 'C2' },
    { full_name: 'C3', custom_attributes: { woofed_id: 3 } },
  ]);
});
