/** Every write leaves an entry: who, what, before, after, when, by which request. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { sharedService } from '../kit/service.ts';
import { id, moment } from '../kit/shapes.ts';
import { unique, type World, world } from '../kit/world.ts';

const service = await sharedService();
let w: World;
beforeEach(async () => {
  w = await world(service);
});

interface Entry {
  readonly action: string;
  readonly record_id: number;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
  readonly request_id: string;
}

const document = `query ($account: Integer!, $query: SearchQuery) {
  audit_entries(account_id: $account, query: $query, per_page: 100) {
    data { id account_id user_id token_id action record_type record_id before after request_id created_at }
    pagination { count }
  }
}`;

/** Entries as an admin reads them, oldest first. */
async function entries(query: Readonly<Record<string, unknown>> = {}): Promise<readonly Entry[]> {
  const variables = { account: w.accountId, query: { s: 'id asc', ...query } };
  const data = await w.graphql.data<{ audit_entries: { data: readonly Entry[] } }>(
    document,
    variables,
  );
  return data.audit_entries.data;
}

const last = async (action?: string) =>
  (await entries(action === undefined ? {} : { action_eq: action })).at(-1);
const request = { 'x-request-id': 'the-request' };

test('an entry is whole', async () => {
  const rest = w.restAs(w.member.token);
  const answer = await rest.post<{ id: number; created_at: string }>(
    '/products',
    { name: 'Chair', amount_in_cents: 5 },
    request,
  );
  const [token] = await service.database.query<{ id: number }>(
    'SELECT id FROM api_tokens WHERE user_id = $1',
    [w.member.id],
  );
  expect(await entries()).toEqual([
    {
      id,
      account_id: w.accountId,
      user_id: w.member.id,
      token_id: token?.id,
      action: 'product.create',
      record_type: 'product',
      record_id: answer.body.id,
      before: null,
      after: {
        identifier: '',
        name: 'Chair',
        description: '',
        amount_in_cents: 5,
        quantity_available: 0,
        custom_attributes: {},
        additional_attributes: {},
      },
      request_id: 'the-request',
      created_at: answer.body.created_at,
    },
  ]);
  expect(answer.body.created_at).toEqual(moment);
});

describe('each write', () => {
  test('of a contact', async () => {
    const contact = await w.contact({
      full_name: 'Ana',
      email: 'ana@example.com',
      label_list: 'a',
      custom_attributes: { b: 1, a: 2 },
    });
    expect(await last()).toMatchObject({
      action: 'contact.create',
      record_id: contact.id,
      before: null,
      after: {
        full_name: 'Ana',
        email: 'ana@example.com',
        phone: '',
        label_list: ['a'],
        custom_attributes: { b: 1, a: 2 },
      },
    });
    await w.rest.post('/contacts/upsert', {
      email: 'ana@example.com',
      full_name: 'Ana Maria',
      label_list: 'a',
    });
    expect(await last()).toMatchObject({
      action: 'contact.update',
      record_id: contact.id,
      before: { full_name: 'Ana' },
      after: { full_name: 'Ana Maria' },
    });
    expect((await last())?.after).toEqual({ full_name: 'Ana Maria' });
    await w.rest.delete(`/contacts/${contact.id}`);
    expect(await last()).toMatchObject({
      action: 'contact.delete',
      record_id: contact.id,
      before: { full_name: 'Ana Maria', email: 'ana@example.com' },
      after: null,
    });
  });

  test('of a deal', async () => {
    const deal = await w.deal({ name: 'One' });
    const { id: _, account_id, created_at, updated_at, ...told } = deal;
    expect(await last('deal.create')).toMatchObject({ record_id: deal.id, before: null });
    expect((await last('deal.create'))?.after).toEqual(told);
    expect((await last('deal_assignee.create'))?.after).toEqual({
      deal_id: deal.id,
      user_id: w.admin.id,
    });
    const [opened] = await w.eventsOf(deal);
    expect(await last('event.create')).toMatchObject({
      record_id: opened?.id,
      after: { kind: 'deal_opened', deal_id: deal.id, done_at: opened?.done_at },
    });
    const won = await w.updateDeal(deal.id, { name: 'Two', status: 'won' });
    const changed = await last('deal.update');
    expect(changed).toMatchObject({ action: 'deal.update', record_id: deal.id });
    expect(changed?.before).toEqual({ name: 'One', status: 'open', won_at: null });
    expect(changed?.after).toEqual({ name: 'Two', status: 'won', won_at: won.won_at });
    await w.updateDeal(deal.id, { stage_id: w.other.stageId });
    expect(await last('deal.update')).toMatchObject({
      before: { stage_id: w.stageIds[0], pipeline_id: w.pipelineId },
      after: { stage_id: w.other.stageId, pipeline_id: w.other.pipelineId },
    });
  });

  test('of a deal upsert with a new contact: an entry of each, of one request', async () => {
    const sent = { stage_id: w.stageIds[0], contact_attributes: { email: 'new@example.com' } };
    await w.rest.post('/deals/upsert', sent, request);
    const written = await entries();
    expect(written.map((entry) => [entry.action, entry.request_id])).toEqual([
      ['contact.create', 'the-request'],
      ['deal.create', 'the-request'],
      ['deal_assignee.create', 'the-request'],
      ['event.create', 'the-request'],
    ]);
    await w.rest.post('/deals/upsert', { ...sent, name: 'Again' });
    expect(await last()).toMatchObject({
      action: 'deal.update',
      before: { name: '' },
      after: { name: 'Again' },
    });
  });

  test('of a deal product', async () => {
    const attached = await w.dealProduct({ quantity: 2, unit_amount_in_cents: 10 });
    expect(await last('deal_product.create')).toMatchObject({
      record_id: attached.id,
      before: null,
      after: { quantity: 2, unit_amount_in_cents: 10, total_amount_in_cents: 20 },
    });
    const total = 'total_deal_products_amount_in_cents';
    expect(await last('deal.update')).toMatchObject({
      record_id: attached.deal_id,
      before: { [total]: 0 },
      after: { [total]: 20 },
    });
    await w.rest.put(`/deal_products/${attached.id}`, { quantity: 3 });
    expect(await last('deal_product.update')).toMatchObject({
      record_id: attached.id,
      before: { quantity: 2, total_amount_in_cents: 20 },
      after: { quantity: 3, total_amount_in_cents: 30 },
    });
    expect(await last('deal.update')).toMatchObject({
      before: { [total]: 20 },
      after: { [total]: 30 },
    });
  });

  test('of a product', async () => {
    const { id: productId } = await w.product({ name: 'Old', custom_attributes: { a: 1 } });
    await w.rest.put(`/products/${productId}`, { name: 'New', custom_attributes: { b: 2 } });
    const entry = await last();
    expect(entry).toMatchObject({ action: 'product.update', record_id: productId });
    expect(entry?.before).toEqual({ name: 'Old', custom_attributes: { a: 1 } });
    expect(entry?.after).toEqual({ name: 'New', custom_attributes: { b: 2 } });
  });

  test('of a user, without any secret', async () => {
    const user = await w.user({
      password: 'never to be seen',
      password_confirmation: 'never to be seen',
    });
    const entry = await last();
    expect(entry).toMatchObject({
      action: 'user.create',
      record_id: user.id,
      before: null,
      after: { email: user.email },
    });
    expect(JSON.stringify(entry)).not.toMatch(/password|never to be seen|scrypt/);
    const rows = await service.database.query<{ row: string }>(
      'SELECT audit_entries::text AS row FROM audit_entries WHERE account_id = $1',
      [w.accountId],
    );
    expect(JSON.stringify(rows)).not.toMatch(/never to be seen|scrypt/);
  });

  test('through GraphQL as well', async () => {
    await w.graphql.data(
      `mutation { create_contact(account_id: ${w.accountId}, input: {full_name: "x"}) { id } }`,
    );
    expect(await last()).toMatchObject({ action: 'contact.create', after: { full_name: 'x' } });
  });
});

test('exact custom_attributes stay exact in the trail', async () => {
  await w.rest.post('/products', '{"custom_attributes":{"2":1e400,"1":12345678901234567890}}');
  const { text } = await w.graphql.send(document, { account: w.accountId });
  expect(text).toContain('"custom_attributes":{"2":1e400,"1":12345678901234567890}');
});

describe('nothing is written', () => {
  test('of reads and searches', async () => {
    const { id: contactId } = await w.contact();
    await w.fetchContact(contactId);
    await w.rest.post('/contacts/search', {});
    expect(await entries()).toHaveLength(1);
  });

  test('of what was refused', async () => {
    await w.rest.post('/contacts', { email: 'x' });
    await w.rest.post('/deals', {});
    await w.rest.put('/deals/1', { name: 'x' });
    await w.rest.post('/deals/upsert', { contact_attributes: { email: unique('x') } });
    await w.restAs(w.member.token).post('/users', {});
    expect(await entries()).toEqual([]);
  });
});

describe('reading the trail', () => {
  test('is for admins: FORBIDDEN for a member', async () => {
    const { body } = await w.graphqlAs(w.member.token).send(document, { account: w.accountId });
    expect(body.errors?.map((error) => error.extensions.code)).toEqual(['FORBIDDEN']);
    expect(body.data).toEqual({ audit_entries: null });
  });

  test('of another account is NOT_FOUND', async () => {
    const other = await world(service);
    const { body } = await w.graphql.send(document, { account: other.accountId });
    expect(body.errors?.map((error) => error.extensions.code)).toEqual(['NOT_FOUND']);
  });

  test('can be searched by record, action and user', async () => {
    const one = await w.contact({ full_name: 'One' });
    await w.contact({ full_name: 'Two' });
    await w.product();
    expect(await entries({ record_type_eq: 'contact', record_id_eq: one.id })).toHaveLength(1);
    expect(await entries({ action_eq: 'product.create' })).toHaveLength(1);
    expect(await entries({ user_id_eq: w.admin.id })).toHaveLength(3);
    expect(await entries({ user_id_eq: w.member.id })).toHaveLength(0);
  });

  test('comes newest first unless the query sorts', async () => {
    await w.contact({ full_name: 'One' });
    await w.contact({ full_name: 'Two' });
    const data = await w.graphql.data<{ audit_entries: { data: readonly Entry[] } }>(document, {
      account: w.accountId,
    });
    expect(data.audit_entries.data.map((entry) => entry.after?.full_name)).toEqual(['Two', 'One']);
  });
});
