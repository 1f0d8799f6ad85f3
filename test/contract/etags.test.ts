/** ETag and If-None-Match. */
import { describe, expect, test } from '@jest/globals';
import type { Answer } from '../kit/http.ts';
import { filled, oneOfEach } from '../kit/one_of_each.ts';
import { sharedService } from '../kit/service.ts';
import { shipped } from '../kit/shared.ts';
import { world } from '../kit/world.ts';

const { showsRecord } =
  await shipped<typeof import('../../src/rest/operations.ts')>('rest/operations.js');
const { routes } = await shipped<typeof import('../../src/rest/routes.ts')>('rest/routes.js');

const service = await sharedService();
const w = await world(service);
const ids: Readonly<Record<string, number>> = await oneOfEach(w);

const tagOf = ({ headers }: Answer): string => headers.etag ?? '';
const versionOf = (answer: Answer): string | undefined => /^"(\w+)[."]/.exec(tagOf(answer))?.[1];
const known = (tag: string) => ({ 'if-none-match': tag });

const shown = routes.filter((route) => route.method === 'GET' && showsRecord(route));
const others = routes.filter((route) => route.method === 'GET' && !showsRecord(route));

test('the records that are shown are those of every resource, the account and me', () => {
  expect(shown.map(({ path }) => path.replace(/^\/|\/:id$/g, ''))).toEqual(
    'contacts deals deal_products products pipelines stages events users tokens webhooks  me'.split(
      ' ',
    ),
  );
});

test.each(shown.map(({ path }) => path))('GET %s has a tag, by which it is a 304', async (path) => {
  const at = filled(path, ids);
  const answer = await w.rest.get(at);
  expect(answer).toAnswer(200);
  expect(tagOf(answer)).toMatch(/^"\w+\.[\w-]{27}"$/);
  const again = await w.rest.get(at, known(tagOf(answer)));
  expect([again.status, again.text, tagOf(again)]).toEqual([304, '', tagOf(answer)]);
  expect(again.headers).not.toHaveProperty('content-type');
});

test.each(shown.map(({ path }) => path))(
  'HEAD %s has the headers that GET has, and heeds If-None-Match',
  async (path) => {
    const at = filled(path, ids);
    for (const encoding of ['identity', 'gzip', 'br']) {
      const accepting = { 'accept-encoding': encoding };
      const got = await w.rest.get(at, accepting);
      const head = await w.rest.send('HEAD', at, undefined, accepting);
      for (const name of ['etag', 'content-type', 'content-length', 'content-encoding', 'vary']) {
        expect([name, head.headers[name]]).toEqual([name, got.headers[name]]);
      }
      const headers = { ...accepting, ...known(tagOf(head)) };
      const again = await w.rest.send('HEAD', at, undefined, headers);
      expect([again.status, tagOf(again)]).toEqual([304, tagOf(got)]);
    }
  },
);

test.each([
  ...others.map(({ path }) => ['GET', path] as const),
  ...routes.filter(({ body }) => body === 'search').map(({ path }) => ['POST', path] as const),
])('%s %s, which is not a record, has none', async (method, path) => {
  const at = filled(path, { ...ids, webhook_deliveries: ids.webhooks ?? 0 });
  const asked = path === '/find' ? `${at}?q=x` : at;
  const answer = await w.rest.send(method, asked, method === 'POST' ? {} : undefined);
  expect(answer).toAnswer(200);
  expect(answer.headers).not.toHaveProperty('etag');
});

describe('the tag of what a write answers', () => {
  test('names the version that GET names, until the next write', async () => {
    const created = await w.rest.post<{ id: number }>('/contacts', { full_name: 'Ana' });
    const path = `/contacts/${created.body.id}`;
    const versions = [versionOf(created)];
    expect(versionOf(await w.rest.get(path))).toBe(versions[0]);
    for (const full_name of ['Bea', 'Cid']) {
      const written = await w.rest.put(path, { full_name });
      expect(versionOf(await w.rest.get(path))).toBe(versionOf(written));
      versions.push(versionOf(written));
    }
    const email = `${created.body.id}@tag.example`;
    await w.rest.put(path, { email });
    versions.push(versionOf(await w.rest.post('/contacts/upsert', { email, full_name: 'Dora' })));
    expect(versionOf(await w.rest.get(path))).toBe(versions[3]);
    expect(new Set(versions).size).toBe(4);
    expect(versions).not.toContain(undefined);
  });

  test.each([
    'contacts',
    'deals',
    'products',
    'deal_products',
    'pipelines',
    'stages',
    'users',
    'webhooks',
  ])('%s: stays what it is where nothing changes', async (resource) => {
    const path = `/${resource}/${ids[resource]}`;
    const before = await w.rest.get<Record<string, unknown>>(path);
    const written = await w.rest.put(path, before.body);
    expect(written).toAnswer(200);
    expect(versionOf(written)).toBe(versionOf(before));
  });

  test.each([
    ['contacts', { full_name: 'Another' }],
    ['deals', { name: 'Another' }],
    ['deals', { status: 'won' }],
    ['products', { name: 'Another' }],
    ['deal_products', { quantity: 7 }],
    ['pipelines', { name: 'Another' }],
    ['stages', { name: 'Another' }],
    ['stages', { position: 2 }],
    ['users', { full_name: 'Another' }],
    ['webhooks', { description: 'Another' }],
  ])('%s: is another after %j, and the one of GET', async (resource, change) => {
    const path = `/${resource}/${ids[resource]}`;
    const before = await w.rest.get(path);
    const written = await w.rest.put(path, change);
    expect(versionOf(written)).not.toBe(versionOf(before));
    expect(versionOf(await w.rest.get(path))).toBe(versionOf(written));
  });

  test('comes with tokens, webhooks, deliveries, assignees and the account, too', async () => {
    const answers = [
      await w.rest.post('/tokens', { name: 'Tagged' }),
      await w.rest.post('/webhooks', { url: 'https://receiver.invalid/', events: ['*'] }),
      await w.rest.post(`/webhooks/${ids.webhooks}/rotate_secret`),
      await w.rest.put(`/webhooks/${ids.webhooks}`, { enabled: true }),
      await w.rest.post(`/webhooks/${ids.webhooks}/test`),
      await w.rest.post('/deal_assignees', { deal_id: ids.deals, user_id: w.member.id }),
      await w.rest.put('', { name: 'Tagged' }),
      await w.rest.put(`/contacts/${ids.contacts}?fields=id`, { full_name: 'Part' }),
    ];
    for (const answer of answers) expect(tagOf(answer)).toMatch(/^"\w+"$/);
  });
});

describe('the version', () => {
  test('of a stage stays while deals come into it and leave', async () => {
    const path = `/stages/${w.stageIds[2]}`;
    const before = versionOf(await w.rest.get(path));
    const { id } = await w.deal({ stage_id: w.stageIds[2] });
    await w.updateDeal(id, { stage_id: w.stageIds[1] });
    expect(versionOf(await w.rest.get(path))).toBe(before);
  });

  test('of a webhook stays while it is told changes', async () => {
    const path = `/webhooks/${ids.webhooks}`;
    const before = versionOf(await w.rest.get(path));
    await service.database.query(
      'UPDATE webhooks SET place_entry = place_entry + 1 WHERE id = $1',
      [ids.webhooks],
    );
    expect(versionOf(await w.rest.get(path))).toBe(before);
  });
});

describe('If-None-Match', () => {
  const path = () => `/contacts/${ids.contacts}`;

  test.each([
    ['in a list', (tag: string) => `"other", ${tag}`],
    ['as a weak one', (tag: string) => `W/${tag}`],
    ['of the compressed answer', (tag: string) => `${tag.slice(0, -1)}.br"`],
    ['*', () => '*'],
  ])('is heeded: %s', async (_, sent) => {
    const { status } = await w.rest.get(path(), known(sent(tagOf(await w.rest.get(path())))));
    expect(status).toBe(304);
  });

  test.each([
    ['of a write', (tag: string) => `${tag.split('.')[0]}"`],
    ['of another answer', (tag: string) => tag.replace('.', '.x')],
    ['without quotes', (tag: string) => tag.slice(1, -1)],
    ['cut short', (tag: string) => `${tag.slice(0, -5)}"`],
  ])('is not: a tag %s', async (_, sent) => {
    const { status } = await w.rest.get(path(), known(sent(tagOf(await w.rest.get(path())))));
    expect(status).toBe(200);
  });

  test('the answer in another encoding has another tag, known by that, too', async () => {
    await w.rest.put(path(), { custom_attributes: { long: 'x'.repeat(2000) } });
    const plain = tagOf(await w.rest.get(path()));
    const packed = await w.rest.get(path(), { 'accept-encoding': 'gzip' });
    expect(tagOf(packed)).toBe(`${plain.slice(0, -1)}.gzip"`);
    expect((await w.rest.get(path(), known(tagOf(packed)))).status).toBe(304);
  });

  test('a 304 has the tag that the 200 has, in whatever encoding, and says what it depends on', async () => {
    await w.rest.put(path(), { custom_attributes: { long: 'x'.repeat(2000) } });
    for (const encoding of ['identity', 'gzip', 'br']) {
      const accepting = { 'accept-encoding': encoding };
      const answer = await w.rest.get(path(), accepting);
      const again = await w.rest.get(path(), { ...accepting, ...known(tagOf(answer)) });
      expect([again.status, tagOf(again)]).toEqual([304, tagOf(answer)]);
      expect([again.headers.vary, answer.headers.vary]).toEqual([
        'accept-encoding',
        'accept-encoding',
      ]);
    }
  });

  test('an answer with chosen fields has a tag of its own', async () => {
    const part = await w.rest.get(`${path()}?fields=id,full_name`);
    expect((await w.rest.get(path(), known(tagOf(part)))).status).toBe(200);
    const again = await w.rest.get(`${path()}?fields=id,full_name`, known(tagOf(part)));
    expect(again.status).toBe(304);
  });

  test('a large answer is always sent: its tag names the version alone', async () => {
    const { id } = await w.contact();
    await service.database.query(
      `INSERT INTO events (account_id, contact_id, kind, title, custom_attributes)
       SELECT $1, $2, 'note', 'Large', json_build_object('a', repeat('x', 60000))
       FROM generate_series(1, 40)`,
      [w.accountId, id],
    );
    const answer = await w.rest.get(`/contacts/${id}`);
    expect(tagOf(answer)).toMatch(/^"\w+"$/);
    expect((await w.rest.get(`/contacts/${id}`, known(tagOf(answer)))).status).toBe(200);
  });
});

describe.each(['/openapi.json', '/schema.graphql', '/docs', '/console'])('%s', (path) => {
  const get = (method: string, headers: Readonly<Record<string, string>>) =>
    service.client.send({ method, path, headers });

  test('has a tag in each encoding, by which it is a 304 without a body', async () => {
    const tags = new Set<string>();
    for (const encoding of ['identity', 'gzip', 'br']) {
      const accepting = { 'accept-encoding': encoding };
      const answer = await get('GET', accepting);
      expect(answer.status).toBe(200);
      tags.add(tagOf(answer));
      for (const method of ['GET', 'HEAD']) {
        for (const sent of [tagOf(answer), `"other", W/${tagOf(answer)}`, '*']) {
          const again = await get(method, { ...accepting, 'if-none-match': sent });
          expect([again.status, again.text, tagOf(again)]).toEqual([304, '', tagOf(answer)]);
          expect(again.headers.vary).toBe(answer.headers.vary);
          expect(again.headers['cache-control']).toBe(answer.headers['cache-control']);
        }
      }
      const changed = await get('GET', { ...accepting, 'if-none-match': '"other"' });
      expect([changed.status, tagOf(changed)]).toEqual([200, tagOf(answer)]);
    }
    for (const tag of tags) expect(tag).toMatch(/^"[\w-]{27}(\.(gzip|br))?"$/);
  });
});
