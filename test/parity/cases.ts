/** For every operation of the interface, calls that succeed and calls that are refused. */
import { caughtUp } from '../kit/feed.ts';
import type { World } from '../kit/world.ts';
import type { Call } from './call.ts';

export interface Case {
  readonly operation: string;
  readonly name: string;
  /** Builds what the call needs, in the world that it is made in. */
  readonly call: (w: World) => Promise<Call> | Call;
  readonly as?: 'admin' | 'member';
}

const one = (
  operation: string,
  name: string,
  call: Case['call'],
  as: Case['as'] = 'admin',
): Case => ({ operation, name, call, as });

const nobody = { params: { id: 999_999_999 } };
const full = {
  full_name: '  Ana   Souza ',
  email: 'Ana@Example.com',
  phone: '+1 (415) 555-2671',
  label_list: 'vip, "a, b"',
  custom_attributes: { b: 1, a: [null, { c: 'é' }] },
};
const product = {
  identifier: 'CH-1',
  name: 'Chair',
  description: 'x\ny',
  amount_in_cents: '1200',
  quantity_available: 3,
  custom_attributes: { z: 1, y: {} },
};

const website = { name: ' Website ', expires_in: '30m', scopes: ['deals:write', 'read', 'read'] };

const byId = async (record: Promise<{ id: number }>, body?: Call['body']): Promise<Call> => ({
  params: { id: (await record).id },
  ...(body ? { body } : {}),
});

const eventOf = async (w: World, body?: Call['body']): Promise<Call> => {
  const deal = await w.deal();
  const written = await w.rest.post<{ id: number }>(`/deals/${deal.id}/events`, {
    kind: 'note',
    title: 'x',
  });
  return byId(Promise.resolve(written.body), body);
};

const assigneeOf = async (w: World): Promise<Call> => {
  const [assignee] = (await w.fetchDeal((await w.deal()).id)).deal_assignees;
  return { params: { id: assignee?.id } };
};

const tokenOf = (w: World): Promise<Call> =>
  byId(w.rest.post<{ id: number }>('/tokens', website).then(({ body }) => body));

const webhookOf = async (w: World, body?: Call['body']): Promise<Call> =>
  byId(w.webhook({ enabled: false }), body);

const deliveryOf = async (w: World): Promise<Call> => {
  const webhook = await w.webhook();
  return byId(w.rest.post<{ id: number }>(`/webhooks/${webhook.id}/test`).then(({ body }) => body));
};

const search = (operation: string, query: Call['body']): Case[] => [
  one(operation, 'everything', async (w) => {
    await w.dealProduct();
    return { body: {} };
  }),
  one(operation, 'a query, a page and a sort', async (w) => {
    await w.dealProduct();
    return { body: { query: { ...query, s: 'id desc' }, page: 1, per_page: 2 } };
  }),
  one(operation, 'a page past the end', () => ({ body: { page: 9 } })),
  one(operation, 'unknown keys and a wrong page', () => ({
    body: { query: { nope_eq: 1, id_eq: 'x', id_nope: 2 }, page: 0, per_page: 101 },
  })),
  one(operation, 'a query that is no object', () => ({ body: { query: 'x' } })),
  one(operation, 'without a count', () => ({ body: { count: 'none', per_page: 1 } })),
  one(operation, 'an invalid count and cursor', () => ({ body: { count: 1, after: 'x' } })),
];

/**
 * A batch of each kind: some of the calls that single operations have, and one that is refused as a
 * whole.
 */
const batch = (
  operation: string,
  what: string,
  records: (w: World) => Promise<readonly unknown[]> | readonly unknown[],
): Case[] => [
  one(operation, what, async (w) => ({
    body: { operation: what, records: await records(w), atomic: false },
  })),
  one(operation, `${what}, all or none`, async (w) => ({
    body: { operation: what, records: [...(await records(w)), 'x'], atomic: true },
  })),
];

const remove = (operation: string, call: Case['call']): Case[] => [
  one(operation, 'one that is there', call),
  one(operation, 'one that is not there', () => nobody),
];

/** Brings back a record that was removed, and one that is there. */
const restore = (one_: string, table: string, made: Case['call']): Case[] => [
  one(`restore_${one_}`, 'a removed one', async (w) => {
    const call = await made(w);
    await w.rest.delete(`/${table}/${call.params?.id}`);
    return call;
  }),
  one(`restore_${one_}`, 'one that is there', made),
  one(`restore_${one_}`, 'one that never was', () => nobody),
];

export const cases: readonly Case[] = [
  ...restore('contact', 'contacts', (w) =>
    byId(
      w
        .dealProduct()
        .then(({ deal_id }) => w.fetchDeal(deal_id))
        .then((deal) => ({ id: deal.contact_id })),
    ),
  ),
  one('merge_contacts', 'two into one', async (w) => {
    const { contact_id } = await w.deal();
    const other = await w.contact({ email: 'merged@example.com' });
    return {
      params: { id: (await w.contact({ full_name: 'x' })).id },
      body: { from: [other.id, contact_id] },
    };
  }),
  one('merge_contacts', 'nobody', (w) => byId(w.contact(), { from: [] })),
  ...restore('deal', 'deals', (w) =>
    byId(w.dealProduct().then(({ deal_id }) => ({ id: deal_id }))),
  ),
  ...restore('deal_product', 'deal_products', (w) => byId(w.dealProduct())),
  ...restore('product', 'products', (w) => byId(w.product())),
  ...restore('event', 'events', (w) => eventOf(w)),
  one('account', 'whole', () => ({}), 'member'),
  one('update_account', 'every field', () => ({
    body: { name: ' Acme ', default_country: 'br', time_zone: 'America/Sao_Paulo' },
  })),
  one('update_account', 'nothing', () => ({ body: {} })),
  one('update_account', 'wrong everywhere', () => ({
    body: { name: '', default_country: 'XX', time_zone: 'CET' },
  })),
  one('update_account', 'as a member', () => ({ body: { name: 'Acme' } }), 'member'),
  one('me', 'a member', () => ({}), 'member'),

  one('create_contact', 'every field', () => ({ body: full })),
  one('create_contact', 'no field', () => ({ body: {} })),
  one('create_contact', 'null everywhere', () => ({
    body: { full_name: null, email: null, phone: null, label_list: null, custom_attributes: null },
  })),
  one('create_contact', 'wrong everywhere', () => ({
    body: { full_name: 1, email: 'x', phone: [], label_list: [1.5], custom_attributes: 'x' },
  })),
  one('create_contact', 'a taken email', async (w) => {
    await w.contact({ email: 'taken@example.com' });
    return { body: { email: 'TAKEN@example.com' } };
  }),
  one('create_contact', 'as a member', () => ({ body: full }), 'member'),
  ...search('contacts', { full_name_cont: '' }),
  one('contact', 'with deals and events', async (w) =>
    byId(w.deal({ name: 'x' }).then((deal) => ({ id: deal.contact_id }))),
  ),
  one('contact', 'one that is not there', () => nobody),
  one('contact', 'an invalid id', () => ({ params: { id: 'abc' } })),
  one('upsert_contact', 'a new one', () => ({ body: full })),
  one('upsert_contact', 'an existing one', async (w) => {
    await w.contact({ email: 'ana@example.com' });
    return { body: full };
  }),
  one('upsert_contact', 'a conflict', async (w) => {
    await w.contact({ email: 'ana@example.com' });
    await w.contact({ phone: '+14155552671' });
    return { body: { ...full, label_list: 5 } };
  }),
  one('update_contact', 'some fields', (w) =>
    byId(w.contact(full), { full_name: 'New', email: null }),
  ),
  one('update_contact', 'wrong fields', (w) => byId(w.contact(full), { full_name: 1, email: 'x' })),
  one('update_contact', 'one that is not there', () => ({ ...nobody, body: { full_name: 'x' } })),
  ...remove('delete_contact', async (w) =>
    byId(w.dealProduct().then(({ deal }) => ({ id: deal.contact_id }))),
  ),
  ...batch('batch_contacts', 'create', () => [full, {}, { email: 'x', phone: [] }, full]),
  ...batch('batch_contacts', 'upsert', async (w) => {
    await w.contact({ email: 'ana@example.com' });
    return [full, { ...full, label_list: 5 }, { email: 'bea@example.com' }];
  }),
  ...batch('batch_contacts', 'update', async (w) => [
    { id: (await w.contact(full)).id, full_name: 'New', email: null },
    { id: 999_999_999, email: 'x' },
  ]),
  ...batch('batch_contacts', 'delete', async (w) => [
    { id: (await w.dealProduct()).deal.contact_id },
    { id: 'abc' },
  ]),
  one('batch_contacts', 'nothing', () => ({ body: {} })),
  one('batch_contacts', 'wrong everywhere', () => ({
    body: { operation: 'merge', records: {}, atomic: 2 },
  })),
  one('create_contact_event', 'a note', async (w) => ({
    params: { contact_id: (await w.contact()).id },
    body: { kind: 'note', content: 'Hi' },
  })),
  one('create_contact_event', 'wrong fields', async (w) => ({
    params: { contact_id: (await w.contact()).id },
    body: { kind: 'deal_won', title: 1 },
  })),
  one('create_contact_event', 'of nobody', () => ({
    params: { contact_id: 999_999_999 },
    body: { kind: 'note' },
  })),

  one('create_deal', 'every field', async (w) => ({
    body: {
      name: 'Deal',
      status: 'lost',
      stage_id: w.stageIds[1],
      pipeline_id: `${w.pipelineId}`,
      contact_id: (await w.contact()).id,
      position: 1,
      lost_reason: 'Price',
      lost_at: '2026-03-01T10:00:00Z',
      custom_attributes: { b: 1, a: 2 },
    },
  })),
  one('create_deal', 'nothing', () => ({ body: {} })),
  one('create_deal', 'wrong everywhere', () => ({
    body: {
      name: 1,
      status: 'x',
      stage_id: 'x',
      pipeline_id: 1.5,
      contact_id: true,
      position: 0,
      lost_at: 'x',
      won_at: 1,
      custom_attributes: [1],
    },
  })),
  one('create_deal', 'a pipeline that is not the stage’s', async (w) => ({
    body: {
      stage_id: w.stageIds[0],
      pipeline_id: w.other.pipelineId,
      contact_id: (await w.contact()).id,
    },
  })),
  one(
    'create_deal',
    'as a member',
    async (w) => ({ body: { stage_id: w.stageIds[0], contact_id: (await w.contact()).id } }),
    'member',
  ),
  ...search('deals', { status_eq: 'open' }),
  one('deal', 'with all that belongs to it', (w) => byId(w.dealProduct().then(({ deal }) => deal))),
  one('deal', 'one that is not there', () => nobody),
  one('update_deal', 'won, at another stage', (w) =>
    byId(w.deal(), { status: 'won', stage_id: w.other.stageId, name: 'New' }),
  ),
  one('update_deal', 'a place', async (w) => {
    await w.deal();
    return byId(w.deal(), { position: 1 });
  }),
  one('update_deal', 'nothing', (w) => byId(w.deal(), {})),
  one('update_deal', 'wrong fields', (w) =>
    byId(w.deal(), { status: 'x', stage_id: 999_999_999, contact_id: null, lost_at: 'x' }),
  ),
  one('update_deal', 'one that is not there', () => ({ ...nobody, body: { status: 'x' } })),
  one('upsert_deal', 'a new deal and contact', (w) => ({
    body: { stage_id: w.stageIds[0], name: 'x', contact_attributes: full },
  })),
  one('upsert_deal', 'an existing deal', async (w) => ({
    body: { contact_id: (await w.deal()).contact_id, name: 'Again', status: 'lost' },
  })),
  one('upsert_deal', 'wrong fields of both', () => ({
    body: { status: 'x', contact_attributes: { email: 'x', phone: 1 } },
  })),
  one('upsert_deal', 'contact_attributes that are no object', (w) => ({
    body: { stage_id: w.stageIds[0], contact_attributes: 'x' },
  })),
  ...remove('delete_deal', (w) => byId(w.dealProduct().then(({ deal }) => deal))),
  ...batch('batch_deals', 'create', async (w) => [
    { name: 'A', stage_id: w.stageIds[0], contact_id: (await w.contact()).id },
    { stage_id: 999_999_999, status: 'x' },
  ]),
  ...batch('batch_deals', 'upsert', (w) => [
    { name: 'A', stage_id: w.stageIds[1], contact_attributes: full },
    { name: 'B', contact_attributes: full },
    { contact_attributes: { email: 'x' } },
  ]),
  ...batch('batch_deals', 'update', async (w) => [
    { id: (await w.deal()).id, status: 'won', position: 1 },
    { id: 'x' },
  ]),
  ...batch('batch_deals', 'delete', async (w) => [{ id: (await w.deal()).id }, {}]),
  one('create_deal_event', 'an activity', async (w) => ({
    params: { deal_id: (await w.deal()).id },
    body: {
      kind: 'activity',
      title: 'Call',
      scheduled_at: '2030-01-01T00:00:00Z',
      custom_attributes: { a: 1 },
    },
  })),
  one('create_deal_event', 'nothing', async (w) => ({
    params: { deal_id: (await w.deal()).id },
    body: {},
  })),

  one('create_deal_assignee', 'a member', async (w) => ({
    body: { deal_id: (await w.deal()).id, user_id: w.member.id },
  })),
  one('create_deal_assignee', 'nothing', () => ({ body: {} })),
  ...remove('delete_deal_assignee', assigneeOf),
  ...search('events', { kind_eq: 'deal_opened' }),
  ...batch('batch_events', 'create', async (w) => {
    const deal = await w.deal();
    return [
      { kind: 'note', deal_id: deal.id },
      { kind: 'activity', contact_id: deal.contact_id, done: true },
      { kind: 'deal_won' },
    ];
  }),
  ...batch('batch_events', 'update', async (w) => [
    { id: (await eventOf(w)).params?.id, title: 'New' },
    { id: 'x', done: 'x' },
  ]),
  ...batch('batch_events', 'delete', async (w) => [{ id: (await eventOf(w)).params?.id }]),
  one('event', 'a note', (w) => eventOf(w)),
  one('event', 'one that is not there', () => nobody),
  one('update_event', 'some fields', (w) => eventOf(w, { title: 'New', done: true })),
  one('update_event', 'wrong fields', (w) => eventOf(w, { kind: 'deal_won', done_at: 'x' })),
  ...remove('delete_event', (w) => eventOf(w)),

  one('create_deal_product', 'every field', async (w) => ({
    body: {
      deal_id: (await w.deal()).id,
      product_id: (await w.product(product)).id,
      quantity: 2,
      unit_amount_in_cents: '50',
      product_name: 'Seat',
      product_identifier: '',
    },
  })),
  one('create_deal_product', 'the product’s own', async (w) => ({
    body: { deal_id: (await w.deal()).id, product_id: (await w.product(product)).id },
  })),
  one('create_deal_product', 'nothing', () => ({ body: {} })),
  one('create_deal_product', 'ids of nobody', () => ({
    body: { deal_id: 999_999_999, product_id: 999_999_999, quantity: 0 },
  })),
  one('create_deal_product', 'wrong fields', async (w) => ({
    body: {
      deal_id: (await w.deal()).id,
      product_id: (await w.product()).id,
      quantity: 0,
      unit_amount_in_cents: -1,
      product_name: 1,
    },
  })),
  ...search('deal_products', { quantity_gteq: 1 }),
  ...batch('batch_deal_products', 'create', async (w) => [
    { product_id: (await w.product()).id, deal_id: (await w.deal()).id, quantity: 2 },
    {},
  ]),
  ...batch('batch_deal_products', 'update', async (w) => [
    { id: (await w.dealProduct()).id, quantity: 5 },
    { id: 999_999_999 },
  ]),
  ...batch('batch_deal_products', 'delete', async (w) => [{ id: (await w.dealProduct()).id }]),
  one('deal_product', 'whole', (w) => byId(w.dealProduct())),
  one('deal_product', 'one that is not there', () => nobody),
  one('update_deal_product', 'quantity and price', (w) =>
    byId(w.dealProduct(), { quantity: 5, unit_amount_in_cents: 7 }),
  ),
  one('update_deal_product', 'wrong fields', (w) =>
    byId(w.dealProduct(), { quantity: 0, unit_amount_in_cents: 'x' }),
  ),
  one('update_deal_product', 'one that is not there', () => ({ ...nobody, body: { quantity: 0 } })),
  ...remove('delete_deal_product', (w) => byId(w.dealProduct())),

  ...batch('batch_products', 'create', () => [product, { amount_in_cents: -1 }]),
  ...batch('batch_products', 'update', async (w) => [
    { id: (await w.product()).id, name: 'New' },
    { id: 999_999_999, amount_in_cents: 'x' },
  ]),
  ...batch('batch_products', 'delete', async (w) => [
    { id: (await w.product()).id },
    { id: (await w.dealProduct()).product_id },
  ]),
  one('product', 'with its deal products', (w) =>
    byId(w.dealProduct().then((each) => each.product)),
  ),
  one('product', 'one that is not there', () => nobody),
  one('create_product', 'every field', () => ({ body: product })),
  one('create_product', 'no field', () => ({ body: {} })),
  one('create_product', 'wrong everywhere', () => ({
    body: {
      identifier: 1,
      name: [],
      description: {},
      amount_in_cents: -1,
      quantity_available: '1.5',
      custom_attributes: [1],
    },
  })),
  ...search('products', { name_cont: '' }),
  one('update_product', 'some fields', (w) =>
    byId(w.product(product), { name: null, amount_in_cents: 5 }),
  ),
  one('update_product', 'wrong fields', (w) =>
    byId(w.product(product), { amount_in_cents: 'x', name: 1 }),
  ),
  one('update_product', 'one that is not there', () => ({
    ...nobody,
    body: { amount_in_cents: -1 },
  })),
  ...remove('delete_product', (w) => byId(w.product())),
  one('delete_product', 'one that a deal holds', (w) =>
    byId(w.dealProduct().then((each) => each.product)),
  ),

  one('all_pipelines', 'with their stages', () => ({})),
  one('create_pipeline', 'a name', () => ({ body: { name: 'Third' } })),
  one('create_pipeline', 'nothing', () => ({ body: {} })),
  one('create_pipeline', 'as a member', () => ({ body: { name: 'Third' } }), 'member'),
  ...search('pipelines', { name_cont: 's' }),
  one('pipeline', 'whole', (w) => ({ params: { id: w.pipelineId } })),
  one('pipeline', 'one that is not there', () => nobody),
  one('update_pipeline', 'a name', (w) => ({
    params: { id: w.pipelineId },
    body: { name: 'Renamed' },
  })),
  one('update_pipeline', 'a blank name', (w) => ({
    params: { id: w.pipelineId },
    body: { name: ' ' },
  })),
  ...remove('delete_pipeline', (w) => ({ params: { id: w.other.pipelineId } })),
  one('delete_pipeline', 'one that holds deals', async (w) => ({
    params: { id: (await w.deal()).pipeline_id },
  })),
  one('create_stage', 'a name', (w) => ({ body: { name: 'Last', pipeline_id: w.pipelineId } })),
  one('create_stage', 'nothing', () => ({ body: {} })),
  ...search('stages', { name_cont: 'e' }),
  one('stage', 'whole', (w) => ({ params: { id: w.stageIds[1] } })),
  one('stage', 'one that is not there', () => nobody),
  one('update_stage', 'name and place', (w) => ({
    params: { id: w.stageIds[2] },
    body: { name: 'First', position: 1 },
  })),
  one('update_stage', 'wrong fields', (w) => ({
    params: { id: w.stageIds[2] },
    body: { name: null, position: 0 },
  })),
  ...remove('delete_stage', (w) => ({ params: { id: w.stageIds[2] } })),
  one('delete_stage', 'one that holds deals', async (w) => ({
    params: { id: (await w.deal()).stage_id },
  })),

  ...search('users', { full_name_cont: 'a' }),
  one('create_user', 'every field', (w) => ({
    body: {
      email: `new.${w.admin.email}`,
      password: 'correct horse',
      password_confirmation: 'correct horse',
      full_name: 'New',
      phone: '1',
      language: 'es',
      avatar_url: 'https://example.com/a',
      job_description: 'ceo',
      webpush_notify_on_event_expired: 'true',
    },
  })),
  one('create_user', 'nothing', () => ({ body: {} })),
  one('create_user', 'wrong everywhere', (w) => ({
    body: {
      email: w.member.email,
      password: 'x',
      password_confirmation: 'y',
      full_name: 1,
      phone: 2,
      language: 'x',
      avatar_url: 'x',
      job_description: '',
      webpush_notify_on_event_expired: 5,
    },
  })),
  one('create_user', 'as a member', () => ({ body: {} }), 'member'),
  one('user', 'whole', (w) => ({ params: { id: w.member.id } })),
  one('user', 'one that is not there', () => nobody),
  one('update_user', 'some fields', (w) => ({
    params: { id: w.member.id },
    body: { full_name: 'New', role: 'admin' },
  })),
  one('update_user', 'wrong fields', (w) => ({
    params: { id: w.member.id },
    body: { language: 'x', role: 'king', email: w.admin.email },
  })),
  one(
    'update_user',
    'as a member',
    (w) => ({ params: { id: w.member.id }, body: { role: 'admin' } }),
    'member',
  ),
  one('create_token', 'every field', () => ({ body: website })),
  one('create_token', 'wrong everywhere', () => ({
    body: { name: '', expires_in: '5 years', scopes: ['deals'], user_id: 999_999_999 },
  })),
  ...search('tokens', { name_cont: 'e' }),
  one('token', 'whole', tokenOf),
  one('token', "another's as a member", tokenOf, 'member'),
  ...remove('delete_token', tokenOf),
  one('contact_duplicates', 'of a mailbox', async (w) => {
    await w.contact({ email: 'twice+1@parity.example' });
    await w.contact({ email: 'twice+2@parity.example' });
    return {};
  }),
  one('contact_duplicates', 'wrong everywhere', () => ({ params: { page: 0, per_page: 0 } })),
  one('find', 'of every kind', async (w) => {
    const { id } = await w.contact({ full_name: 'Zoë Parity' });
    await w.deal({ contact_id: id, name: 'Parity' });
    return { params: { q: 'parity', limit: 3 } };
  }),
  one('find', 'what is similar', async (w) => {
    await w.product({ name: 'Dishwasher' });
    return { params: { q: 'dishwaser' } };
  }),
  one('find', 'nothing, too much', () => ({ params: { q: ' ', limit: 21 } })),
  one('changes', 'of a contact', async (w) => {
    await w.contact(full);
    // What others write on the server may hold it up.
    await caughtUp(w);
    return { params: { limit: 1, records: 'contacts', wait: 25 } };
  }),
  one('changes', 'wrong everywhere', () => ({
    params: { after: 'then', limit: 0, records: 'tokens', wait: -1 },
  })),
  one('changes', 'as a member', () => ({ params: { after: 'now' } }), 'member'),
  one('create_webhook', 'every field', () => ({
    body: {
      url: ' https://EXAMPLE.com/changes ',
      description: 'x',
      events: ['deal.update', 'contact.*', 'deal.update'],
      enabled: 'false',
      user_id: null,
    },
  })),
  one('create_webhook', 'wrong everywhere', () => ({
    body: {
      url: 'http://example.com',
      events: ['deals'],
      enabled: 'x',
      user_id: 'x',
      description: 1,
    },
  })),
  one('create_webhook', 'as a member', () => ({ body: {} }), 'member'),
  ...search('webhooks', { url_cont: 'example', events_eq: 'contact.*' }),
  one('webhook', 'whole', (w) => webhookOf(w)),
  one('webhook', 'one that is not there', () => nobody),
  one('update_webhook', 'some fields', (w) => webhookOf(w, { events: ['*'], enabled: true })),
  one('update_webhook', 'wrong fields', (w) =>
    webhookOf(w, { url: 'https://10.0.0.1', events: [] }),
  ),
  one('rotate_webhook_secret', 'one that is there', (w) => webhookOf(w)),
  one('rotate_webhook_secret', 'one that is not there', () => nobody),
  one('test_webhook', 'one that is there', (w) => byId(w.webhook())),
  one('test_webhook', 'one that is switched off', (w) => webhookOf(w)),
  one('replay_webhook', 'a period', async (w) => {
    await w.contact();
    return byId(w.webhook(), { from: '2020-01-01T00:00:00Z' });
  }),
  one('replay_webhook', 'an invalid period', (w) =>
    byId(w.webhook(), { from: '2020-01-02T00:00:00Z', to: '2020-01-01T00:00:00Z' }),
  ),
  one('retry_webhook_delivery', 'one that is there', deliveryOf),
  one('retry_webhook_delivery', 'one that is not there', () => nobody),
  one('webhook_deliveries', 'a query, a page and a sort', async (w) => {
    const { id } = await w.webhook({ enabled: false });
    return {
      params: { webhook_id: id },
      body: { query: { status_eq: 'pending', s: 'id' }, page: 1 },
    };
  }),
  one('webhook_deliveries', 'of a webhook that is not there', () => ({
    params: { webhook_id: 999_999_999 },
    body: {},
  })),
  ...remove('delete_webhook', webhookOf),
  ...remove('delete_user', (w) => ({ params: { id: w.member.id } })),
  one('delete_user', 'the last admin', (w) => ({ params: { id: w.admin.id } })),
  one('delete_user', 'handing deals over', async (w) => {
    const { id } = await w.user();
    const deal = await w.deal();
    await w.rest.post('/deal_assignees', { deal_id: deal.id, user_id: id });
    return { params: { id, reassign_to: String(w.member.id) } };
  }),
  one('delete_user', 'handing deals over to nobody there is', (w) => ({
    params: { id: w.member.id, reassign_to: 999_999_999 },
  })),
];
