/** The door for agents: its protocol, and what each tool answers. */

import { describe, expect, test } from '@jest/globals';
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Mcp, type ToolResult } from '../kit/mcp.ts';
import { forbidden, unauthorized } from '../kit/refusals.ts';
import { sharedService } from '../kit/service.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);
const mcp = new Mcp(service.client, w.admin.token);

const modern = '2026-07-28';
const meta = {
  'io.modelcontextprotocol/protocolVersion': modern,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const headersOf = (method: string, name?: string) => ({
  'mcp-protocol-version': modern,
  'mcp-method': method,
  ...(name && { 'mcp-name': name }),
});

describe('the protocol', () => {
  test('of 2026-07-28 needs no handshake', async () => {
    const method = 'server/discover';
    const { status, body } = await mcp.post(
      { jsonrpc: '2.0', id: 'a', method, params: { _meta: meta } },
      headersOf(method),
    );
    expect(status).toBe(200);
    expect(body).toEqual({
      jsonrpc: '2.0',
      id: 'a',
      result: {
        supportedVersions: [modern],
        capabilities: { tools: {} },
        instructions: expect.stringContaining('Call describe first'),
        resultType: 'complete',
        ttlMs: 60_000,
        cacheScope: 'private',
        _meta: {
          'io.modelcontextprotocol/serverInfo': {
            name: 'sales-crm',
            title: 'Sales CRM',
            version: '1.0.0',
          },
        },
      },
    });
  });

  test.each([
    ['2025-06-18', '2025-06-18'],
    ['2025-11-25', '2025-11-25'],
    ['1999-01-01', '2025-11-25'],
  ])('of before begins with initialize (%s)', async (protocolVersion, spoken) => {
    const { body } = await mcp.request('initialize', {
      protocolVersion,
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    });
    expect(body.result).toEqual({
      protocolVersion: spoken,
      capabilities: { tools: {} },
      serverInfo: { name: 'sales-crm', title: 'Sales CRM', version: '1.0.0' },
      instructions: expect.any(String),
    });
    const { status, text } = await mcp.post({
      jsonrpc: '2.0',
      method: 'notifications/initialized',
    });
    expect([status, text]).toEqual([202, '']);
    expect((await mcp.request('ping')).body).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
  });

  test.each([
    ['no JSON', '{', 400, -32700],
    ['a batch', [], 400, -32600],
    ['another JSON', { a: 1 }, 400, -32600],
    ['an id that is none', { jsonrpc: '2.0', id: {}, method: 'ping' }, 400, -32600],
    ['an unknown method', { jsonrpc: '2.0', id: 1, method: 'resources/list' }, 200, -32601],
    [
      'an unknown tool',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x' } },
      200,
      -32602,
    ],
    [
      'arguments that are no object',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'describe', arguments: [] } },
      200,
      -32602,
    ],
  ])('reports %s as JSON-RPC does', async (_, sent, status, code) => {
    const answer = await mcp.post(sent);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({
      jsonrpc: '2.0',
      error: { code, message: expect.any(String) },
    });
  });

  test('refuses headers that name something else than the body, and versions that it does not know', async () => {
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } };
    expect((await mcp.post(list)).body.error?.code).toBe(-32020);
    expect((await mcp.post(list, headersOf('tools/call'))).body.error?.code).toBe(-32020);
    expect((await mcp.post(list, headersOf('tools/list'))).body.error).toBeUndefined();
    const call = { ...list, method: 'tools/call', params: { name: 'describe', _meta: meta } };
    expect((await mcp.post(call, headersOf('tools/call', 'search'))).body.error?.code).toBe(-32020);
    const encoded = `=?base64?${Buffer.from('describe').toString('base64')}?=`;
    expect((await mcp.post(call, headersOf('tools/call', encoded))).body.error).toBeUndefined();
    const other = { ...meta, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' };
    const { status, body } = await mcp.post(
      { ...list, params: { _meta: other } },
      { ...headersOf('tools/list'), 'mcp-protocol-version': '2099-01-01' },
    );
    // The very list of `server/discover`.
    expect([status, body.error]).toMatchObject([
      400,
      { code: -32022, data: { requested: '2099-01-01', supported: [modern] } },
    ]);
    const contradiction = await mcp.post(
      { ...list, params: { _meta: other } },
      headersOf('tools/list'),
    );
    expect([contradiction.status, contradiction.body.error?.code]).toEqual([400, -32020]);
    expect(
      (await mcp.post({ jsonrpc: '2.0', id: 1, method: 'ping' }, { 'mcp-protocol-version': '1' }))
        .status,
    ).toBe(400);
    expect((await mcp.post({ ...list, method: 'nothing' }, headersOf('nothing'))).status).toBe(404);
  });

  test('is refused without a token, to pages of other sites, and by other methods', async () => {
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const none = await new Mcp(service.client, undefined).post(ping);
    expect(none).toAnswer(401, unauthorized);
    expect(none.headers['www-authenticate']).toBe('Bearer');
    expect(await mcp.post(ping, { origin: 'https://evil.example' })).toAnswer(403, forbidden);
    expect(await mcp.post(ping, { origin: 'null' })).toAnswer(403, forbidden);
    expect((await mcp.post(ping, { origin: service.url })).status).toBe(200);
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const { status, headers } = await service.client.send({ method, path: '/mcp' });
      expect([status, headers.allow]).toEqual([405, 'POST']);
    }
    expect((await mcp.post(ping, { 'content-type': 'text/plain' })).status).toBe(415);
  });
});

describe('an official client', () => {
  const requestInit = () => ({ headers: { authorization: `Bearer ${w.admin.token}` } });
  /** Trusts the certificate of the service under test. */
  const fetch = async (
    input: string | URL,
    { method = 'GET', headers, body }: RequestInit = {},
  ) => {
    const answer = await service.client.send({
      method,
      path: new URL(input).pathname,
      headers: Object.fromEntries(new Headers(headers)),
      ...(typeof body === 'string' && { body }),
    });
    const type = answer.headers['content-type'];
    return new Response(answer.text === '' ? null : answer.text, {
      status: answer.status,
      ...(type && { headers: { 'content-type': type } }),
    });
  };
  const url = () => new URL(`${service.url}/mcp`);

  test.each(['modern', 'legacy', 'auto'] as const)('of version 2 connects (%s)', async (mode) => {
    const client = new ModernClient(
      { name: 'test', version: '1' },
      mode === 'modern'
        ? { versionNegotiation: { mode: { pin: modern } } }
        : mode === 'auto'
          ? { versionNegotiation: { mode: 'auto' } }
          : {},
    );
    await client.connect(new ModernTransport(url(), { requestInit: requestInit(), fetch }));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('describe');
    const { structuredContent } = await client.callTool({ name: 'describe', arguments: {} });
    expect(structuredContent).toMatchObject({ me: { role: 'admin' } });
    await client.close();
  });

  test('of version 1 connects', async () => {
    const client = new LegacyClient({ name: 'test', version: '1' });
    await client.connect(new LegacyTransport(url(), { requestInit: requestInit(), fetch }));
    const { tools } = await client.listTools();
    expect(tools.length).toBeGreaterThan(5);
    expect(
      await client.callTool({ name: 'search', arguments: { resource: 'contacts' } }),
    ).toMatchObject({
      structuredContent: { data: expect.any(Array) },
    });
    await client.close();
  });
});

test('the list of tools has at most 8 kB and eleven tools, and says what each does', async () => {
  const { text, body } = await mcp.request<{
    tools: readonly { name: string; annotations: object }[];
  }>('tools/list');
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(8_000);
  const tools = body.result?.tools ?? [];
  expect(tools.length).toBeLessThanOrEqual(11);
  expect(
    Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations])),
  ).toMatchObject({
    search: { readOnlyHint: true },
    write: { readOnlyHint: false, destructiveHint: true },
    note: { readOnlyHint: false, destructiveHint: false },
    remove: { readOnlyHint: false, destructiveHint: true },
    undo: { readOnlyHint: false, destructiveHint: true },
  });
});

const bytesOf = ({ content }: ToolResult): number => Buffer.byteLength(content[0]?.text ?? '');

test('describe tells in at most 6 kB what the next call needs', async () => {
  await w.contact({ label_list: ['vip'], custom_attributes: { city: 'Rio' } });
  const whole = await mcp.call('describe');
  expect(whole.content[0]?.text).toBe(JSON.stringify(whole.structuredContent));
  expect(bytesOf(whole)).toBeLessThanOrEqual(6_000);
  expect(whole.structuredContent).toMatchObject({
    me: { id: w.admin.id, account_id: w.accountId, role: 'admin', scopes: ['*'] },
    pipelines: expect.arrayContaining([
      {
        id: w.pipelineId,
        name: expect.any(String),
        stages: expect.arrayContaining([{ id: w.stageIds[0], name: 'New' }]),
      },
    ]),
    users: expect.arrayContaining([expect.objectContaining({ id: w.admin.id })]),
    labels: [{ label: 'vip', count: 1 }],
  });
  for (const [resource] of Object.entries(whole.structuredContent.resources)) {
    const described = await mcp.call('describe', { resource });
    expect(bytesOf(described)).toBeLessThanOrEqual(6_000);
    expect(described.structuredContent.resource).toBe(resource);
  }
  expect(await mcp.use('describe', { resource: 'contacts' })).toMatchObject({
    operations: ['create', 'update', 'upsert'],
    fields: { email: 'text ≤255', custom_attributes: 'object' },
    include: ['deals', 'events'],
    custom_attributes: ['city'],
    search: { attributes: { text: expect.arrayContaining(['full_name']) } },
  });
});

test('describe has room for an account that has much of everything, and says what is cut', async () => {
  const large = await world(service);
  const agent = new Mcp(service.client, large.admin.token);
  const long = (n: number) => `${n} ${'語"'.repeat(125)}`;
  const times = <T>(count: number, make: (n: number) => T): readonly T[] =>
    Array.from({ length: count }, (_, n) => make(n));
  await large.rest.put('', { name: long(0) });
  await large.rest.put(`/users/${large.admin.id}`, { full_name: long(0) });
  for (const n of times(30, Number)) await large.rest.post('/pipelines', { name: long(n) });
  const stages = times(40, (n) => ({ pipeline_id: large.pipelineId, name: long(n) }));
  for (const stage of stages) await large.rest.post('/stages', stage);
  await agent.use('write', {
    resource: 'contacts',
    operation: 'create',
    records: times(50, (n) => ({
      label_list: [long(n)],
      custom_attributes: Object.fromEntries(times(20, (at) => [`${at} ${long(n)}`, n])),
    })),
  });
  const whole = await agent.call('describe');
  expect(bytesOf(whole)).toBeLessThanOrEqual(6_000);
  expect(whole.structuredContent).toMatchObject({
    account: { name: long(0) },
    me: { full_name: long(0) },
    cut: expect.arrayContaining(['pipelines', 'labels']),
  });
  const contacts = await agent.call('describe', { resource: 'contacts' });
  expect(bytesOf(contacts)).toBeLessThanOrEqual(6_000);
  expect(contacts.structuredContent.cut).toEqual(['custom_attributes']);
});
