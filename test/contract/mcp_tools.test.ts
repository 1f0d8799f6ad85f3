/** What the tools of the door for agents do. */
import { randomUUID } from 'node:crypto';
import { connect } from 'node:tls';
import { describe, expect, test } from '@jest/globals';
import { Mcp } from '../kit/mcp.ts';
import { sharedService } from '../kit/service.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);
const mcp = new Mcp(service.client, w.admin.token);

const changesOf = async () =>
  Number(
    (
      await service.database.query<{ n: string }>(
        'SELECT count(*) AS n FROM audit_entries WHERE account_id = $1',
        [w.accountId],
      )
    )[0]?.n,
  );

describe('search', () => {
  test('finds records, with a cursor while there are more', async () => {
    const mark = randomUUID();
    for (const n of [1, 2, 3]) await w.contact({ full_name: `${mark} ${n}` });
    const query = { full_name_start: mark, s: 'full_name' };
    const first = await mcp.use('search', {
      resource: 'contacts',
      query,
      fields: ['full_name'],
      limit: 2,
    });
    expect(first).toEqual({
      data: [{ full_name: `${mark} 1` }, { full_name: `${mark} 2` }],
      count: 3,
      after: expect.any(String),
    });
    expect(
      await mcp.use('search', {
        resource: 'contacts',
        query,
        fields: ['full_name'],
        limit: 2,
        after: first.after,
      }),
    ).toEqual({ data: [{ full_name: `${mark} 3` }] });
  });

  test('answers with as many as fit into 25 kB, and goes on behind them', async () => {
    const mark = randomUUID();
    const records = Array.from({ length: 40 }, (_, n) => ({
      identifier: `${mark}-${String(n).padStart(2, '0')}`,
      description: 'é"\\'.repeat(700),
    }));
    await mcp.use('write', { resource: 'products', operation: 'create', records });
    const found: string[] = [];
    let after: string | undefined;
    for (;;) {
      const args = {
        resource: 'products',
        query: { identifier_start: mark, s: 'identifier' },
        limit: 100,
        after,
      };
      const { body, text } = await mcp.request<{
        structuredContent: { data: { identifier: string }[]; after?: string };
      }>('tools/call', { name: 'search', arguments: args });
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(25_600);
      const page = body.result?.structuredContent;
      found.push(...(page?.data ?? []).map(({ identifier }) => identifier));
      after = page?.after;
      if (after === undefined) break;
    }
    expect(found).toEqual(records.map(({ identifier }) => identifier));
  });

  test('refuses what a search refuses, in the same body', async () => {
    const refused = await mcp.call('search', { resource: 'contacts', query: { nam_eq: 1 } });
    expect(refused).toMatchObject({
      isError: true,
      structuredContent: {
        error: 'Invalid search parameters',
        code: 'invalid_search',
        codes: { nam_eq: ['unknown_attribute'] },
      },
    });
    expect(refused.content).toEqual([
      { type: 'text', text: JSON.stringify(refused.structuredContent) },
    ]);
    expect(await mcp.call('search', { resource: 'contact', qery: {} })).toMatchObject({
      isError: true,
      structuredContent: {
        code: 'validation_failed',
        codes: { resource: ['not_in_list'], qery: ['unknown_field'] },
        fields: { qery: ['is not a field (did you mean query?)'] },
      },
    });
  });
});

test('get answers in the order of the ids, with what was to be included', async () => {
  const deal = await w.deal({ name: 'Lima' });
  const other = await w.deal();
  expect(
    await mcp.use('get', {
      resource: 'deals',
      ids: [other.id, deal.id, 1],
      include: ['contact', 'events'],
    }),
  ).toEqual({
    data: [
      expect.objectContaining({ id: other.id }),
      expect.objectContaining({
        id: deal.id,
        name: 'Lima',
        contact: expect.objectContaining({ id: deal.contact_id }),
        events: [expect.objectContaining({ kind: 'deal_opened' })],
        events_count: 1,
      }),
    ],
    missing: [1],
  });
  expect((await mcp.call('get', { resource: 'deals', ids: [1] })).structuredContent.code).toBe(
    'not_found',
  );
  expect(
    (await mcp.call('get', { resource: 'deals', ids: [1], include: ['x'] })).structuredContent
      .codes,
  ).toEqual({ include: ['not_in_list'] });
});

test('what was stored is shown to the letter, whichever tool shows it', async () => {
  const attributes = '{"10":1.50,"2":9007199254740993}';
  const { body } = await w.rest.post<{ id: number }>(
    '/contacts',
    `{"custom_attributes": ${attributes}}`,
  );
  const { id } = body;
  for (const [tool, args] of [
    ['search', { resource: 'contacts', query: { id_eq: id } }],
    ['get', { resource: 'contacts', ids: [id] }],
    ['history', { resource: 'contacts', id }],
  ] as const) {
    const [shown] = (await mcp.call(tool, args)).content;
    expect([tool, shown?.text]).toEqual([tool, expect.stringContaining(attributes)]);
  }
});

test('summarize and graphql answer with figures and documents', async () => {
  await w.deal({ status: 'won' });
  const { data } = await mcp.use('summarize', { of: 'deals', with: { group_by: ['STATUS'] } });
  expect(data).toContainEqual(
    expect.objectContaining({ status: 'won', count: expect.any(Number) }),
  );
  const funnel = await mcp.use('summarize', { of: 'funnel', with: { pipeline_id: w.pipelineId } });
  expect(funnel.data[0]).toMatchObject({ stage_name: 'New' });
  const refused = await mcp.call('summarize', { of: 'funnel', with: { pipline_id: 1 } });
  expect(refused.structuredContent.codes).toEqual({
    pipline_id: ['unknown_field'],
    pipeline_id: ['blank'],
  });
  const query = `query ($a: Integer!) { account(account_id: $a) { id } }`;
  expect(await mcp.use('graphql', { query, variables: { a: w.accountId } })).toEqual({
    data: { account: { id: w.accountId } },
  });
  const mutation = `mutation { delete_contact(account_id: ${w.accountId}, id: 1) { id } }`;
  expect((await mcp.call('graphql', { query: mutation })).structuredContent).toMatchObject({
    code: 'bad_request',
    errors: ['The document must only read: it may hold queries alone'],
  });
});

describe('write', () => {
  test('creates, changes and upserts, each with its outcome', async () => {
    const email = `${randomUUID()}@example.com`;
    const created = await mcp.use('write', {
      resource: 'contacts',
      operation: 'create',
      records: [{ email, full_name: 'Ana' }, { email: 'x' }],
    });
    expect(created).toMatchObject({
      results: [
        { status: 201, id: expect.any(Number) },
        { status: 422, code: 'validation_failed', codes: { email: ['invalid'] } },
      ],
      summary: { created: 1, failed: 1 },
    });
    const [{ id }] = created.results;
    expect(
      await mcp.use('write', {
        resource: 'contacts',
        operation: 'upsert',
        records: [{ email, full_name: 'Bia' }],
      }),
    ).toMatchObject({ results: [{ status: 200, id }] });
    const refused = await mcp.call('write', {
      resource: 'contacts',
      operation: 'update',
      records: [{ id, fullname: 'x' }],
    });
    expect(refused).toMatchObject({
      isError: true,
      structuredContent: { results: [{ codes: { fullname: ['unknown_field'] } }] },
    });
    expect(await w.fetchContact(id)).toMatchObject({ full_name: 'Bia', email });
  });

  test('writes what has no batches one by one', async () => {
    const records = [{ pipeline_id: w.pipelineId, name: 'Late' }, { name: 'x' }];
    const { results } = await mcp.use('write', {
      resource: 'stages',
      operation: 'create',
      records,
    });
    expect(results).toMatchObject([
      { index: 0, status: 201 },
      { index: 1, status: 422, codes: { pipeline_id: ['not_found'] } },
    ]);
    await mcp.use('write', {
      resource: 'stages',
      operation: 'update',
      records: [{ id: results[0].id, name: 'Later' }],
    });
    expect((await w.rest.get<{ name: string }>(`/stages/${results[0].id}`)).body.name).toBe(
      'Later',
    );
  });

  test('tries with dry_run, and does once what has a key', async () => {
    const before = await changesOf();
    const call = { resource: 'contacts', operation: 'create', records: [{ full_name: 'Once' }] };
    expect(await mcp.use('write', { ...call, dry_run: true })).toMatchObject({
      dry_run: true,
      results: [{ status: 201 }],
    });
    expect(await changesOf()).toBe(before);
    const key = randomUUID();
    const answers = await Promise.all([1, 2, 3].map(() => mcp.use('write', { ...call, key })));
    expect(new Set(answers.map(({ results }) => results[0].id)).size).toBe(1);
    const other = await mcp.call('write', { ...call, records: [{ full_name: 'Twice' }], key });
    expect(other.structuredContent.fields).toEqual({
      'Idempotency-Key': ['was sent with another request before'],
    });
    // The contact, and nothing else.
    expect(await changesOf()).toBe(before + 1);
  });
});

test('note adds an event to a contact or a deal', async () => {
  const deal = await w.deal();
  const { id, status } = await mcp.use('note', { deal_id: deal.id, content: 'Called' });
  expect(status).toBe(201);
  expect((await w.rest.get(`/events/${id}`)).body).toMatchObject({
    kind: 'note',
    content: 'Called',
    deal_id: deal.id,
  });
  const { timeline } = await mcp.use('history', { resource: 'contacts', id: deal.contact_id });
  expect(timeline[0]).toMatchObject({ id, content: 'Called' });
  const { record, trail } = await mcp.use('history', { resource: 'deals', id: deal.id });
  expect(record).toMatchObject({ id: deal.id });
  expect(trail).toMatchObject([{ action: 'deal.create' }]);
  expect((await mcp.call('note', { content: 'x' })).structuredContent.codes).toEqual({
    contact_id: ['invalid'],
  });
});

/** Sends the first bytes of a request, or all of it and reads the first bytes of the answer, and hangs up. */
function cutOff(request: string, sent: number, read: number): Promise<void> {
  const { hostname: host, port } = new URL(service.url);
  let came = 0;
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(port), rejectUnauthorized: false }, () =>
      socket.write(request.slice(0, sent), () => {
        if (read === 0) socket.destroy();
      }),
    );
    socket.on('data', ({ length }) => {
      came += length;
      if (came >= read) socket.destroy();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve());
  });
}

test('a call that is cut off at any byte, and sent again with its key, is done once', async () => {
  const mark = randomUUID();
  for (let n = 0; n < 100; n += 1) {
    const args = {
      resource: 'contacts',
      operation: 'create',
      records: [{ full_name: `${mark} ${n}` }],
      key: `${mark}-${n}`,
    };
    const params = { name: 'write', arguments: args };
    const body = JSON.stringify({ jsonrpc: '2.0', id: n, method: 'tools/call', params });
    const request = `POST /mcp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${w.admin.token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    // Within the request, and then within the answer.
    const [sent, read] =
      n < 60 ? [Math.ceil((request.length * (n + 1)) / 60), 0] : [request.length, n - 59];
    await cutOff(request, sent, read);
    const { results } = await mcp.use('write', args);
    expect(results).toMatchObject([{ status: 201 }]);
    // Whoever sends it once more is told of the same record.
    expect((await mcp.use('write', args)).results).toEqual(results);
  }
  const query = { full_name_start: mark };
  expect(await mcp.use('search', { resource: 'contacts', query, limit: 1 })).toMatchObject({
    count: 100,
  });
}, 60_000);
