/** What the service serves as its client: every operation, tried again with keys, over pages, exports and the feed. */
import { execFileSync } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sharedService } from '../kit/service.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);
let directory: string;
// biome-ignore lint/suspicious/noExplicitAny: the package is made while the tests run
let library: any;
// biome-ignore lint/suspicious/noExplicitAny: its types are for TypeScript, which a test of its own asks
let client: any;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'client-'));
  const url = `${service.url}/client.tgz`;
  const packed = await new Promise<Buffer>((resolve, reject) => {
    import('node:https').then(({ get }) =>
      get(url, { rejectUnauthorized: false }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk) => chunks.push(chunk));
        answer.on('end', () => resolve(Buffer.concat(chunks)));
      }).on('error', reject),
    );
  });
  expect(packed.length).toBeLessThanOrEqual(20_000);
  await writeFile(join(directory, 'client.tgz'), packed);
  execFileSync('tar', ['xzf', 'client.tgz'], { cwd: directory });
  library = await import(pathToFileURL(join(directory, 'package', 'index.js')).href);
  client = library.createClient({
    url: service.url,
    token: w.admin.token,
    account: w.accountId,
    fetch,
  });
});
afterAll(async () => {
  await rm(directory, { recursive: true });
});

/** Trusts the certificate of the service under test. */
async function fetch(input: string, { method = 'GET', headers = {}, body }: RequestInit = {}) {
  const { pathname, search } = new URL(input);
  const answer = await service.client.send({
    method,
    path: pathname + search,
    headers: Object.fromEntries(new Headers(headers)),
    ...(typeof body === 'string' && { body }),
  });
  const shown = Object.entries(answer.headers).flatMap(([name, value]) =>
    name === 'content-encoding' || value === undefined
      ? []
      : [[name, String(value)] as [string, string]],
  );
  const isEmpty = [204, 304].includes(answer.status);
  return new Response(isEmpty ? null : answer.text, { status: answer.status, headers: shown });
}

test('the package is served without a token, and the same to those who have it', async () => {
  const { status, headers } = await service.client.send({ method: 'HEAD', path: '/client.tgz' });
  expect([status, headers['content-type']]).toEqual([200, 'application/gzip']);
  const again = await service.client.send({
    method: 'GET',
    path: '/client.tgz',
    headers: { 'if-none-match': String(headers.etag) },
  });
  expect(again.status).toBe(304);
});

test('it has every operation of the document', async () => {
  const { body } = await service.client.send<{ paths: Record<string, object> }>({
    method: 'GET',
    path: '/openapi.json',
  });
  const wanted = Object.entries(body.paths).flatMap(([path, item]) =>
    Object.keys(item).filter(
      (method) => method !== 'patch' && !(method === 'get' && path.endsWith('/search')),
    ),
  );
  const known = Object.entries<object>(client).flatMap(([name, value]) =>
    name === 'graphql' ? [] : typeof value === 'function' ? [name] : Object.keys(value),
  );
  expect(known.length).toBe(wanted.length);
});

test('creates, reads, changes and removes', async () => {
  const contact = await client.contacts.create({ full_name: 'Ana' });
  expect(await client.contacts.get(contact.id, { fields: 'full_name' })).toEqual({
    full_name: 'Ana',
  });
  expect((await client.contacts.update(contact.id, { full_name: 'Bia' })).full_name).toBe('Bia');
  expect((await client.contacts.create_event(contact.id, { kind: 'note' })).contact_id).toBe(
    contact.id,
  );
  expect(await client.contacts.delete(contact.id)).toBeUndefined();
  const refused = client.contacts.get(contact.id);
  await expect(refused).rejects.toBeInstanceOf(library.CrmError);
  await expect(refused).rejects.toMatchObject({
    status: 404,
    code: 'not_found',
    message: 'Resource could not be found',
  });
  expect(await client.me()).toMatchObject({ role: 'admin' });
  expect((await client.pipelines.list()).data.length).toBe(2);
  const { data } = await client.graphql('query ($a: Integer!) { account(account_id: $a) { id } }', {
    a: w.accountId,
  });
  expect(data).toEqual({ account: { id: w.accountId } });
});

test('tries with dryRun, and refuses with ifMatch what has changed', async () => {
  const { id } = await w.contact();
  await client.contacts.update(id, { full_name: 'Tried' }, { dryRun: true });
  expect((await w.fetchContact(id)).full_name).not.toBe('Tried');
  const refused = client.contacts.update(id, { full_name: 'x' }, { ifMatch: '"1"' });
  await expect(refused).rejects.toMatchObject({ status: 412, code: 'precondition_failed' });
});

test('walks a search and an export to their ends, and splits long batches', async () => {
  const mark = randomUUID();
  const records = Array.from({ length: 1_203 }, (_, n) => ({
    name: `${mark} ${n}`,
    description: 'ü',
  }));
  records.splice(1_100, 0, { name: 'x'.repeat(300), description: '' });
  const { results, summary } = await client.products.batch({ operation: 'create', records });
  expect(summary).toEqual({ created: 1_203, updated: 0, deleted: 0, failed: 1 });
  expect(results[1_100]).toMatchObject({
    index: 1_100,
    status: 422,
    codes: { name: ['too_long'] },
  });
  const query = { name_start: mark };
  const found = new Set<number>();
  for await (const { id } of client.products.search({ query })) found.add(id);
  expect(found.size).toBe(1_203);
  const page = await client.products.search({ query, per_page: 2 });
  expect([page.data.length, page.pagination.count]).toEqual([2, 1_203]);
  let exported = 0;
  for await (const { id, description } of client.products.export({ query })) {
    expect([found.has(id), description]).toEqual([true, 'ü']);
    exported += 1;
  }
  expect(exported).toBe(1_203);
});

test('follows the feed', async () => {
  const { next } = await client.changes({ after: 'now' });
  const seen: string[] = [];
  const following = (async () => {
    for await (const { action, record_id } of client.changes({
      after: next,
      records: 'contacts',
      wait: 2,
    })) {
      seen.push(`${action} ${record_id}`);
      if (seen.length === 2) break;
    }
  })();
  const { id } = await w.contact();
  await w.rest.delete(`/contacts/${id}`);
  await following;
  expect(seen).toEqual([`create ${id}`, `delete ${id}`]);
});

describe('a service that fails', () => {
  let fails: Server;
  let asked: { key: string | undefined; body: string }[];
  let answers: (n: number) => { status: number; after?: string } | undefined;
  let url: string;
  beforeAll(async () => {
    fails = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      asked.push({ key: request.headers['idempotency-key']?.toString(), body });
      const answer = answers(asked.length);
      if (!answer) return request.socket.destroy();
      response.writeHead(answer.status, { ...(answer.after && { 'retry-after': answer.after }) });
      response.end(answer.status < 300 ? '{"id":1}' : '{"errors":["no"],"code":"unavailable"}');
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => fails.once('listening', resolve));
    url = `http://127.0.0.1:${(fails.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => fails.close(resolve)));
  const made = (attempts = 5) => library.createClient({ url, token: 'x', account: 1, attempts });

  test('is asked again with the same key, also where the connection breaks', async () => {
    asked = [];
    answers = (n) =>
      n === 1
        ? undefined
        : n < 4
          ? { status: [429, 503][n - 2] ?? 503, after: '0' }
          : { status: 201 };
    expect(await made().contacts.create({ full_name: 'x' })).toEqual({ id: 1 });
    expect(asked.length).toBe(4);
    expect(new Set(asked.map(({ key }) => key)).size).toBe(1);
    expect(asked[0]?.key).toMatch(/^[\da-f-]{36}$/);
    expect(asked.every(({ body }) => body === '{"full_name":"x"}')).toBe(true);
  });

  test('is not asked for ever, nor where that is no use', async () => {
    asked = [];
    answers = () => ({ status: 503, after: '0' });
    await expect(made(2).contacts.get(1)).rejects.toMatchObject({
      status: 503,
      code: 'unavailable',
    });
    expect(asked.length).toBe(2);
    asked = [];
    answers = () => ({ status: 422 });
    await expect(made().contacts.create({}, { key: 'mine' })).rejects.toMatchObject({
      status: 422,
    });
    expect(asked.map(({ key }) => key)).toEqual(['mine']);
  });
});

test('verifies webhooks', async () => {
  const secret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
  const body = '{"action":"create"}';
  const signed = (at: number, of = body, key = secret) => {
    const raw = Buffer.from(key.replace('whsec_', ''), 'base64');
    const signature = createHmac('sha256', raw).update(`msg_1.${at}.${of}`).digest('base64');
    return {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(at),
      'webhook-signature': `v1,AAAA v1,${signature}`,
    };
  };
  const now = Math.floor(Date.now() / 1000);
  const verify = (headers: object, of: string | string[] = secret) =>
    library.verifyWebhook(body, headers, of);
  expect(await verify(signed(now))).toEqual({ action: 'create' });
  expect(await verify(new Headers(signed(now)), ['whsec_AAAA', secret])).toEqual({
    action: 'create',
  });
  for (const headers of [
    signed(now - 400),
    signed(now, '{}'),
    signed(now, body, 'whsec_AAAA'),
    {},
  ]) {
    await expect(verify(headers)).rejects.toThrow();
  }
});
