/** Tools that take away or take back, which have to be called twice. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { Mcp } from '../kit/mcp.ts';
import { sharedService } from '../kit/service.ts';
import { issue } from '../kit/tokens.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);
const mcp = new Mcp(service.client, w.admin.token);

describe('remove', () => {
  const removing = (id: number, more: object = {}) =>
    mcp.call('remove', { resource: 'contacts', ids: [id], ...more });

  test('tells first what would go, and does it with the code', async () => {
    const { contact_id } = await w.deal();
    const asked = await removing(contact_id);
    expect(asked.structuredContent).toMatchObject({
      confirm: expect.any(String),
      would: { remove: [{ id: contact_id, deals_count: 1 }], results: [{ status: 204 }] },
    });
    expect((await w.rest.get(`/contacts/${contact_id}`)).status).toBe(200);
    const { confirm } = asked.structuredContent;
    expect(await removing(contact_id, { confirm })).toMatchObject({
      structuredContent: { results: [{ status: 204 }] },
    });
    expect((await w.rest.get(`/contacts/${contact_id}`)).status).toBe(404);
  });

  test('merges contacts into one, and tells first what it would become', async () => {
    const kept = await w.contact({ full_name: 'Rui Lima', email: 'rui@lima.example', phone: '' });
    const deal = await w.deal();
    await w.rest.put(`/contacts/${deal.contact_id}`, { full_name: 'R. Lima' });
    const merging = { resource: 'contacts', ids: [deal.contact_id], into: kept.id };
    const asked = await mcp.call('remove', merging);
    const becomes = { id: kept.id, full_name: 'Rui Lima', email: 'rui@lima.example' };
    expect(asked.structuredContent).toMatchObject({
      confirm: expect.any(String),
      would: {
        merge: [
          { id: kept.id, deals_count: 0 },
          { id: deal.contact_id, deals_count: 1 },
        ],
        becomes,
      },
    });
    expect((await w.rest.get(`/contacts/${deal.contact_id}`)).status).toBe(200);
    const { confirm } = asked.structuredContent;
    const done = await mcp.call('remove', { ...merging, confirm });
    expect(done.structuredContent).toMatchObject(becomes);
    expect(await w.rest.get(`/contacts/${deal.contact_id}`)).toMatchObject({
      status: 404,
      body: { merged_into: kept.id },
    });
    expect((await w.rest.get(`/deals/${deal.id}`)).body).toMatchObject({ contact_id: kept.id });
    const product = await w.product();
    const other = { resource: 'products', ids: [product.id], into: product.id };
    expect((await mcp.call('remove', other)).structuredContent.codes).toEqual({
      into: ['invalid'],
    });
    const itself = await mcp.call('remove', { ...merging, ids: [kept.id] });
    expect(itself.structuredContent.codes).toEqual({ from: ['invalid'] });
  });

  test('offers to merge only who may write deals, too', async () => {
    const scopes = ['contacts:write'] as const;
    const agent = new Mcp(service.client, await issue(service.database, w.member, { scopes }));
    const [one, other] = [await w.contact(), await w.contact()];
    const merging = { resource: 'contacts', ids: [other.id], into: one.id };
    expect((await agent.call('remove', merging)).structuredContent.codes).toEqual({
      into: ['unknown_field'],
    });
    expect((await w.rest.get(`/contacts/${other.id}`)).status).toBe(200);
  });

  test('takes no code of other arguments, another token, a changed state, or of its own making', async () => {
    const [one, other] = [await w.contact(), await w.contact()];
    const { confirm } = (await removing(one.id)).structuredContent;
    const fails = async (answer: Promise<{ structuredContent: { codes?: object } }>) =>
      expect((await answer).structuredContent.codes).toEqual({ confirm: ['invalid'] });
    await fails(removing(other.id, { confirm }));
    const foreign = new Mcp(service.client, await issue(service.database, w.admin, {}));
    await fails(foreign.call('remove', { resource: 'contacts', ids: [one.id], confirm }));
    await fails(removing(one.id, { confirm: `${confirm}x` }));
    await fails(removing(one.id, { confirm: 'yes' }));
    const late = confirm.replace(/^[^.]+/, (Date.now() - 1).toString(36));
    await fails(removing(one.id, { confirm: late }));
    await w.rest.put(`/contacts/${one.id}`, { full_name: 'Changed' });
    await fails(removing(one.id, { confirm }));
    expect((await w.rest.get(`/contacts/${one.id}`)).status).toBe(200);
    expect((await w.rest.get(`/contacts/${other.id}`)).status).toBe(200);
  });

  test('with a key is done once, however often it is sent', async () => {
    const { id } = await w.contact();
    const { confirm } = (await removing(id)).structuredContent;
    const key = randomUUID();
    const answers = [await removing(id, { confirm, key }), await removing(id, { confirm, key })];
    expect(answers.map(({ structuredContent }) => structuredContent.results)).toEqual([
      [{ index: 0, status: 204, id }],
      [{ index: 0, status: 204, id }],
    ]);
  });
});

describe('undo', () => {
  test('takes back what this token changed, and nothing of others', async () => {
    const scopes = ['contacts:write'] as const;
    const agent = new Mcp(service.client, await issue(service.database, w.member, { scopes }));
    const contact = await w.contact({ full_name: 'Before' });
    const record = { id: contact.id, full_name: 'After' };
    const made = await agent.use('write', {
      resource: 'contacts',
      operation: 'create',
      records: [{ full_name: 'New' }],
    });
    await agent.use('write', { resource: 'contacts', operation: 'update', records: [record] });
    await w.rest.put(`/contacts/${contact.id}`, { phone: '+5511999999999' });
    const asked = await agent.use('undo');
    expect(asked.would).toMatchObject({ reverted: 2, conflicts_count: 0 });
    expect((await w.fetchContact(contact.id)).full_name).toBe('After');
    expect(await agent.use('undo', { confirm: asked.confirm })).toMatchObject({ reverted: 2 });
    expect(await w.fetchContact(contact.id)).toMatchObject({
      full_name: 'Before',
      phone: '+5511999999999',
    });
    expect((await w.rest.get(`/contacts/${made.results[0].id}`)).status).toBe(404);
    expect((await agent.call('undo', { confirm: asked.confirm })).isError).toBe(true);
  });

  test('takes no code of other arguments, another token, a changed state, or of its own making', async () => {
    const agent = new Mcp(service.client, await issue(service.database, w.admin, {}));
    const contact = await w.contact({ full_name: 'Before' });
    const record = { id: contact.id, full_name: 'After' };
    const writing = { resource: 'contacts', operation: 'update', records: [record] };
    await agent.use('write', writing);
    const { confirm } = await agent.use('undo');
    const fails = async (answer: Promise<{ structuredContent: { codes?: object } }>) =>
      expect((await answer).structuredContent.codes).toEqual({ confirm: ['invalid'] });
    await fails(agent.call('undo', { after: '2026-01-01T00:00:00Z', confirm }));
    await fails(agent.call('undo', { confirm: 'yes' }));
    const late = confirm.replace(/^[^.]+/, (Date.now() - 1).toString(36));
    await fails(agent.call('undo', { confirm: late }));
    const foreign = new Mcp(service.client, await issue(service.database, w.admin, {}));
    await foreign.use('write', { ...writing, records: [{ id: contact.id, full_name: 'Other' }] });
    await fails(foreign.call('undo', { confirm }));
    await fails(agent.call('undo', { confirm }));
    expect((await w.fetchContact(contact.id)).full_name).toBe('Other');
  });

  test('of what others changed is for admins alone, also by the mutation', async () => {
    const scopes = ['contacts:write'] as const;
    const token = await issue(service.database, w.member, { scopes });
    const [other] = await service.database.query<{ id: string }>(
      'SELECT max(id) AS id FROM api_tokens WHERE user_id = $1',
      [w.admin.id],
    );
    const document = `mutation { revert_changes(account_id: ${w.accountId}, input: { token_id: ${other?.id} }) { reverted } }`;
    const { body } = await w.graphqlAs(token).send(document);
    expect(body.errors?.[0]?.extensions.code).toBe('FORBIDDEN');
  });
});
