/** Which program an agent's changes are from, beside its token. */
import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { Mcp, type ToolResult } from '../kit/mcp.ts';
import { sharedService } from '../kit/service.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);
const mcp = new Mcp(service.client, w.admin.token);

const version = '2026-07-28';

interface Told {
  readonly info?: unknown;
  readonly agent?: string;
  readonly isModern?: boolean;
  readonly request_id?: string;
}

/** Calls a tool as a program that tells of itself what it is given. */
async function use(
  name: string,
  args: object,
  { info, agent, isModern = false, request_id }: Told,
) {
  const _meta = {
    ...(isModern && {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientCapabilities': {},
    }),
    ...(info !== undefined && { 'io.modelcontextprotocol/clientInfo': info }),
  };
  const { body } = await mcp.post<ToolResult>(
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args, _meta } },
    {
      ...(isModern && {
        'mcp-protocol-version': version,
        'mcp-method': 'tools/call',
        'mcp-name': name,
      }),
      ...(agent !== undefined && { 'user-agent': agent }),
      ...(request_id !== undefined && { 'x-request-id': request_id }),
    },
  );
  if (!body.result || body.result.isError) throw new Error(JSON.stringify(body));
  return body.result.structuredContent;
}

/** The programs of all entries of a record, in their order. */
async function clientsOf(record_type_eq: string, record_id_eq: number): Promise<unknown[]> {
  const data = await w.graphql.data<{ audit_entries: { data: { client: string | null }[] } }>(
    `query ($account: Integer!, $query: SearchQuery) {
      audit_entries(account_id: $account, query: $query) { data { client } }
    }`,
    { account: w.accountId, query: { record_type_eq, record_id_eq, s: 'id' } },
  );
  return data.audit_entries.data.map(({ client }) => client);
}

const creation = { resource: 'contacts', operation: 'create', records: [{ full_name: 'Ana' }] };
const info = { name: 'claude-code', version: '2.1.0', title: 'Claude Code' };

test.each<readonly [string, Told, string | null]>([
  ['of 2026-07-28', { info, isModern: true, agent: 'undici' }, 'claude-code/2.1.0'],
  ['of before that says so itself', { info, agent: 'undici' }, 'claude-code/2.1.0'],
  ['of before', { agent: 'python-httpx/0.28' }, 'python-httpx/0.28'],
  ['without a version', { info: { name: 'mine' } }, 'mine'],
  ['whose name is no text', { info: { name: 7, version: {} }, agent: 'agent' }, 'agent'],
  ['that says nothing', { info: [] }, null],
  [
    'whose name is no line',
    { info: { name: 'a\u0000\n\u202eb\ud800', version: 'x'.repeat(300) } },
    `ab/${'x'.repeat(252)}`,
  ],
])('the trail names a program %s', async (_, told, client) => {
  const { results } = await use('write', creation, told);
  expect(await clientsOf('contact', results[0].id)).toEqual([client]);
});

test('whatever tool writes, with a key or without; and of nobody else', async () => {
  const told = { info: { name: 'agent', version: '1' } };
  const { results } = await use('write', { ...creation, key: randomUUID() }, told);
  const { id } = results[0];
  await w.rest.put(`/contacts/${id}`, { full_name: 'Bea' }, { 'user-agent': 'a browser' });
  const change = { ...creation, operation: 'update', records: [{ id, phone: '+14155550123' }] };
  await use('write', change, told);
  const { id: event } = await use('note', { contact_id: id, content: 'Called' }, told);
  expect(await clientsOf('event', event)).toEqual(['agent/1']);
  const stage = { pipeline_id: w.pipelineId, name: 'Last' };
  const stages = await use(
    'write',
    { resource: 'stages', operation: 'create', records: [stage] },
    told,
  );
  expect(await clientsOf('stage', stages.results[0].id)).toEqual(['agent/1']);
  const removal = { resource: 'contacts', ids: [id] };
  const { confirm } = await use('remove', removal, told);
  const request_id = randomUUID();
  await use('remove', { ...removal, confirm }, { ...told, request_id });
  const back = await use('undo', { request_id }, told);
  await use('undo', { request_id, confirm: back.confirm }, told);
  const { trail } = await use('history', { resource: 'contacts', id }, told);
  expect(trail.map((entry: { action: string; client: unknown }) => [entry.action, entry.client]))
    // The newest first: it is back.
    .toEqual([
      ['contact.create', 'agent/1'],
      ['contact.delete', 'agent/1'],
      ['contact.update', 'agent/1'],
      ['contact.update', null],
      ['contact.create', 'agent/1'],
    ]);
});
