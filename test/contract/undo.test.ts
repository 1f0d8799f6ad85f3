/** Taking back what a token, a user or a request changed. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Rest } from '../kit/rest.ts';
import { sharedService } from '../kit/service.ts';
import { type Input, unique, type World, world } from '../kit/world.ts';
import { revert as ask, followed as follow, mutation } from '../undo/revert.ts';

const service = await sharedService();
let w: World;
/** Somebody who works beside the one whose changes are taken back. */
let other: Rest;
beforeEach(async () => {
  w = await world(service);
  other = w.restAs(w.member.token);
});

/** Takes back what the admin did, unless the input says something else. */
const revert = (input: Input = { user_id: w.admin.id }) => ask(w, input);
const followed = <T>(work: () => Promise<T>) => follow(w, work);

const conflict = (
  record_type: string,
  record_id: number,
  reason: string,
  fields: string[] = [],
) => ({
  ...{ record_type, record_id, fields, reason },
});

describe('taken back is', () => {
  test('a change of a contact, to the letter', async () => {
    const fields = {
      full_name: 'Ana',
      email: unique('ana'),
      label_list: ['a', 'b'],
      custom_attributes: { b: 1, a: { '2': null } },
    };
    const created = await other.post<{ id: number }>('/contacts', fields);
    const path = `/contacts/${created.body.id}`;
    const before = await other.get<Input>(path);
    await w.rest.put(path, { full_name: 'x', email: '', label_list: '', custom_attributes: {} });
    await w.rest.put(path, { full_name: 'y', phone: '+14155550123' });
    const { reverted, conflicts } = await followed(() => revert());
    expect({ reverted, conflicts }).toEqual({ reverted: 1, conflicts: [] });
    const after = await other.get<Input>(path);
    expect({ ...after.body, updated_at: '' }).toEqual({ ...before.body, updated_at: '' });
    expect(after.text).toContain('"custom_attributes":{"b":1,"a":{"2":null}}');
  });

  test('a creation, with all that came with it', async () => {
    const { id } = await w.contact();
    const deal = await w.deal({ contact_id: id });
    await w.dealProduct({ deal_id: deal.id });
    await w.rest.post(`/deals/${deal.id}/events`, { kind: 'note', content: 'x' });
    await w.updateDeal(deal.id, { status: 'won', stage_id: w.stageIds[1] });
    const { conflicts } = await followed(() => revert());
    expect(conflicts).toEqual([]);
    for (const table of [
      'contacts',
      'deals',
      'deal_products',
      'products',
      'events',
      'deal_assignees',
    ]) {
      expect([table, await w.count(table)]).toEqual([table, 0]);
    }
    expect(await w.board(w.stageIds[1])).toEqual({ ids: [], positions: [] });
  });

  test('what a contact was to a deal, its outcome, its stage and what it costs', async () => {
    const [one, two] = [await other.post<{ id: number }>('/contacts', {}), await w.contact()];
    const post = { contact_id: one.body.id, stage_id: w.stageIds[0], name: 'Deal' };
    const deal = await other.post<{ id: number }>('/deals', post);
    const product = await other.post<{ id: number }>('/products', { amount_in_cents: 500 });
    const line = { deal_id: deal.body.id, product_id: product.body.id, quantity: 2 };
    const attached = await other.post<{ id: number }>('/deal_products', line);
    const path = `/deals/${deal.body.id}`;
    const before = await other.get<Input>(path);
    await w.rest.put(path, {
      contact_id: two.id,
      status: 'lost',
      lost_reason: 'x',
      stage_id: w.other.stageId,
    });
    await w.rest.put(`/deal_products/${attached.body.id}`, { quantity: 3 });
    await w.rest.post('/deal_products', line);
    await followed(() => revert());
    const after = await other.get<Input>(path);
    const undated = (body: Input) =>
      JSON.parse(JSON.stringify(body, (key, value) => (key === 'updated_at' ? '' : value)));
    expect(undated(after.body)).toEqual(undated(before.body));
  });

  test('the order of a stage', async () => {
    const ids: number[] = [];
    for (let at = 0; at < 6; at += 1) {
      const { body } = await other.post<{ id: number }>('/contacts', {});
      const sent = { contact_id: body.id, stage_id: w.stageIds[0] };
      const deal = await other.post<{ id: number }>('/deals', sent);
      expect(deal).toAnswer(201);
      ids.push(deal.body.id);
    }
    const [a = 0, b = 0, c = 0] = ids;
    await w.updateDeal(a, { position: 5 });
    await w.updateDeal(b, { stage_id: w.stageIds[1] });
    await w.updateDeal(c, { position: 4 });
    await w.deal({ position: 2 });
    await w.updateDeal(a, { position: 1 });
    const { conflicts } = await followed(() => revert());
    expect(conflicts).toEqual([]);
    expect(await w.board(w.stageIds[0])).toEqual({ ids, positions: [1, 2, 3, 4, 5, 6] });
    // The next deal finds the end.
    const last = await w.deal();
    expect(await w.board(w.stageIds[0])).toMatchObject({ ids: [...ids, last.id] });
  });

  test('stages and pipelines, and the order of the stages', async () => {
    const { rest } = w;
    await rest.put(`/stages/${w.stageIds[2]}`, { position: 1, name: 'x' });
    await rest.post('/stages', { name: 'New', pipeline_id: w.pipelineId, position: 2 });
    await rest.put(`/pipelines/${w.pipelineId}`, { name: 'y' });
    const made = await rest.post<{ id: number }>('/pipelines', { name: 'z' });
    await rest.post('/stages', { name: 'z', pipeline_id: made.body.id });
    const { conflicts } = await followed(() => revert());
    expect(conflicts).toEqual([]);
    const { body } = await rest.get<{ data: { id: number; stages: { id: number }[] }[] }>(
      '/pipelines',
    );
    expect(body.data.map(({ id, stages }) => [id, stages.map((stage) => stage.id)])).toEqual([
      [w.pipelineId, [...w.stageIds]],
      [w.other.pipelineId, [w.other.stageId]],
    ]);
  });

  test('nothing by a dry run, which tells the same', async () => {
    const { id } = await w.contact({ full_name: 'Ana' });
    const told = await revert({ user_id: w.admin.id, dry_run: true });
    const gone = {
      record_type: 'contact',
      record_id: id,
      action: 'delete',
      before: null,
      after: null,
    };
    expect(told).toMatchObject({ reverted: 1, changes: [gone] });
    expect((await w.fetchContact(id)).full_name).toBe('Ana');
    expect(await revert()).toMatchObject({ reverted: 1, changes: [gone] });
  });
});

describe('left as it is, and told', () => {
  test('what somebody else has changed since: field by field', async () => {
    const { body } = await other.post<{ id: number }>('/contacts', {
      full_name: 'a',
      phone: '+14155550124',
    });
    const path = `/contacts/${body.id}`;
    await w.rest.put(path, { full_name: 'b', phone: '' });
    await other.put(path, { full_name: 'c' });
    const { conflicts } = await followed(() => revert());
    expect(conflicts).toEqual([conflict('contact', body.id, 'changed', ['full_name'])]);
    expect(await w.fetchContact(body.id)).toMatchObject({ full_name: 'c', phone: '+14155550124' });
  });

  test('a creation that others have touched, or added to', async () => {
    const touched = await w.contact({ full_name: 'a' });
    await other.put(`/contacts/${touched.id}`, { phone: '+14155550125' });
    const deal = await w.deal();
    await other.post(`/deals/${deal.id}/events`, { kind: 'note', content: 'Called' });
    const { conflicts } = await followed(() => revert());
    expect(conflicts).toEqual(
      expect.arrayContaining([
        conflict('contact', touched.id, 'changed'),
        conflict('deal', deal.id, 'held'),
        conflict('contact', deal.contact_id, 'held'),
      ]),
    );
    expect(conflicts).toHaveLength(3);
    // With what the service gave it.
    expect((await w.fetchDeal(deal.id)).deal_assignees).toHaveLength(1);
    expect((await w.eventsOf(deal)).map(({ kind }) => kind)).toEqual(['deal_opened', 'note']);
  });

  test('what was changed of a record that somebody else has removed', async () => {
    const two = await other.post<{ id: number }>('/products', { name: 'b' });
    await w.rest.put(`/products/${two.body.id}`, { name: 'c' });
    await other.delete(`/products/${two.body.id}`);
    const passing = await w.product();
    await w.rest.delete(`/products/${passing.id}`);
    expect(await revert()).toMatchObject({
      reverted: 0,
      conflicts_count: 1,
      conflicts: [conflict('product', two.body.id, 'deleted')],
    });
  });

  test('an e-mail that somebody else has by now, a contact and a stage that are gone', async () => {
    const email = unique('taken');
    const { body } = await other.post<{ id: number }>('/contacts', { email });
    const gone = await other.post<{ id: number }>('/contacts', {});
    const stage = await w.rest.post<{ id: number }>(
      '/stages',
      { name: 'x', pipeline_id: w.pipelineId },
      { 'x-request-id': 'else' },
    );
    const sent = { contact_id: gone.body.id, stage_id: stage.body.id };
    const deal = await other.post<{ id: number }>('/deals', sent);
    const by = { 'x-request-id': 'wild' };
    await w.rest.put(`/contacts/${body.id}`, { email: '', full_name: 'x' }, by);
    await w.rest.put(
      `/deals/${deal.body.id}`,
      { contact_id: body.id, stage_id: w.stageIds[0] },
      by,
    );
    await other.post('/contacts', { email });
    await other.delete(`/contacts/${gone.body.id}`);
    expect(await w.rest.delete(`/stages/${stage.body.id}`)).toAnswer(204);
    const { conflicts } = await followed(() => revert({ request_id: 'wild' }));
    expect(conflicts).toEqual([
      conflict('deal', deal.body.id, 'missing', ['contact_id']),
      conflict('deal', deal.body.id, 'missing', ['stage_id']),
      conflict('contact', body.id, 'taken', ['email']),
    ]);
  });

  test('what was erased', async () => {
    const [one, two] = [await w.contact(), await w.contact()];
    const sent = { contact_id: one.id, stage_id: w.stageIds[0], name: 'a' };
    const deal = await other.post<{ id: number }>('/deals', sent);
    await w.rest.put(`/deals/${deal.body.id}`, { name: 'b' }, { 'x-request-id': 'wild' });
    await other.put(`/deals/${deal.body.id}`, { contact_id: two.id });
    await w.graphql.data(
      `mutation { erase_contact(account_id: ${w.accountId}, id: ${one.id}) { id } }`,
    );
    expect(await revert({ request_id: 'wild' })).toMatchObject({
      reverted: 0,
      conflicts: [conflict('deal', deal.body.id, 'erased', ['name'])],
    });
  });

  test('users, tokens and their roles', async () => {
    const user = await w.user({ full_name: 'a' });
    await w.rest.put(`/users/${user.id}`, { full_name: 'b', role: 'admin' });
    await w.rest.put('', { name: 'Renamed' });
    expect(await revert()).toMatchObject({ reverted: 0, conflicts_count: 0 });
  });
});

test('e-mails that changed hands come back to those who had them', async () => {
  const emails = [unique('a'), unique('b')];
  const people: string[] = [];
  for (const email of emails) {
    people.push(`/contacts/${(await other.post<{ id: number }>('/contacts', { email })).body.id}`);
  }
  const [one = '', two = ''] = people;
  await w.rest.put(one, { email: '' });
  await w.rest.put(two, { email: emails[0] });
  await w.rest.put(one, { email: emails[1] });
  await w.rest.put(one, { email: unique('c') });
  await w.contact({ email: emails[1] });
  const { conflicts } = await followed(() => revert());
  expect(conflicts).toEqual([]);
  const now = await Promise.all(people.map((path) => other.get<{ email: string }>(path)));
  expect(now.map(({ body }) => body.email)).toEqual(emails);
});

test('what was taken back is taken back by the id of its request, and again', async () => {
  const { body } = await other.post<{ id: number }>('/contacts', { full_name: 'a' });
  const name = async () => (await w.fetchContact(body.id)).full_name;
  await w.rest.put(`/contacts/${body.id}`, { full_name: 'b' }, { 'x-request-id': 'wild' });
  const { request_id } = await revert({ request_id: 'wild' });
  expect(await name()).toBe('a');
  expect(await revert({ request_id: 'wild' })).toMatchObject({ reverted: 0, conflicts: [] });
  await revert({ request_id });
  expect(await name()).toBe('b');
});

describe('chosen are', () => {
  test('changes of a request of one user, whoever else gives that id to one', async () => {
    const id = { 'x-request-id': 'twice' };
    const mine = await w.rest.post<{ id: number }>('/contacts', { full_name: 'a' }, id);
    const theirs = await other.post<{ id: number }>('/contacts', { full_name: 'b' }, id);
    const input = { request_id: 'twice', dry_run: true };
    const refused = await w.graphql.send(mutation, { account: w.accountId, input });
    expect(refused.body.errors?.[0]?.extensions.fields).toEqual({
      request_id: ['is that of requests of several users: give user_id as well'],
    });
    const records = async (user: number) =>
      (await revert({ ...input, user_id: user })).changes.map(({ record_id }) => record_id);
    expect(await records(w.admin.id)).toEqual([mine.body.id]);
    expect(await records(w.member.id)).toEqual([theirs.body.id]);
  });

  test('changes of a token, within a period', async () => {
    const { body } = await w.rest.post<{ id: number; access_token: string }>('/tokens', {
      name: 'x',
    });
    const rest = w.restAs(body.access_token);
    const names = ['a', 'b', 'c'];
    const made = await Promise.all(
      names.map((name) => rest.post<{ id: number; created_at: string }>('/products', { name })),
    );
    const times = made.map((answer) => answer.body.created_at).sort();
    await w.product();
    const token_id = body.id;
    const count = async (input: Input) =>
      (await revert({ token_id, dry_run: true, ...input })).reverted;
    expect(await count({})).toBe(3);
    expect(await count({ before: times[0] })).toBe(0);
    expect(await count({ after: times[0] })).toBe(3);
    expect(await count({ after: '2999-01-01T00:00:00Z' })).toBe(0);
  });

  test('none unless somebody is named', async () => {
    const { body } = await w.graphql.send(mutation, {
      account: w.accountId,
      input: { after: '2026-03-01' },
    });
    expect(body.errors?.[0]?.extensions).toMatchObject({
      code: 'VALIDATION_FAILED',
      fields: { after: [expect.stringContaining('ISO 8601')] },
    });
    const unnamed = await w.graphql.send(mutation, { account: w.accountId, input: {} });
    expect(unnamed.body.errors?.[0]?.extensions.fields).toEqual({
      token_id: ['must be given, or user_id or request_id'],
    });
  });

  test('none of a request that the trail does not know, which is NOT_FOUND', async () => {
    const foreign = await world(service);
    await foreign.rest.post('/contacts', { full_name: 'x' }, { 'x-request-id': 'elsewhere' });
    await w.rest.post('/contacts', { full_name: 'x' }, { 'x-request-id': 'here' });
    for (const input of [
      { request_id: 'elsewhere' },
      { request_id: 'elsewhere', user_id: w.admin.id, dry_run: true },
      { request_id: 'nowhere "ü"', after: '2026-03-01T00:00:00Z' },
    ]) {
      const answer = await w.graphql.send(mutation, { account: w.accountId, input });
      const { message, extensions } = answer.body.errors?.[0] ?? {};
      expect([message, extensions?.code, extensions?.errors]).toEqual([
        'Resource could not be found',
        'NOT_FOUND',
        [`The audit trail has no request ${JSON.stringify(input.request_id)}`],
      ]);
    }
    const known = { request_id: 'here', before: '2026-03-01T00:00:00Z' };
    expect(await revert(known)).toMatchObject({ reverted: 0, conflicts: [] });
  });

  test('none of a user or a token that the account never had', async () => {
    const foreign = await world(service);
    const { body } = await foreign.rest.post<{ id: number }>('/tokens', { name: 'x' });
    for (const [user_id, token_id] of [
      [foreign.admin.id, body.id],
      [2 ** 40, 2 ** 40],
    ]) {
      const input = { user_id, token_id, dry_run: true };
      const answer = await w.graphql.send(mutation, { account: w.accountId, input });
      expect(answer.body.errors?.[0]?.extensions.fields).toEqual({
        user_id: ['must exist'],
        token_id: ['must exist'],
      });
    }
  });

  test('changes of a user who was removed since, and of their token', async () => {
    const { id: user_id } = await w.user();
    const issued = await w.rest.post<{ id: number; access_token: string }>('/tokens', {
      ...{ name: 'x', user_id },
    });
    await w.restAs(issued.body.access_token).post('/products', { name: 'a' });
    await w.rest.delete(`/users/${user_id}`);
    expect((await revert({ user_id, dry_run: true })).reverted).toBe(1);
    const { reverted } = await revert({ user_id, token_id: issued.body.id, dry_run: true });
    expect(reverted).toBe(1);
  });

  test.each(['10:00:00', '09:59:59'])('none of a period from ten until %s', async (time) => {
    const { body } = await w.graphql.send(mutation, {
      account: w.accountId,
      input: { token_id: 1, after: '2026-03-01T10:00:00Z', before: `2026-03-01T${time}Z` },
    });
    expect(body.errors?.[0]?.extensions.fields).toEqual({ before: ['must be later than after'] });
  });

  test('5,000 at most', async () => {
    await service.database.query(
      `INSERT INTO audit_entries (account_id, user_id, action, record_type, record_id, before, after)
       SELECT $1, $2, 'product.update', 'product', n, '{"name":"a"}', '{"name":"b"}' FROM generate_series(1, 5001) AS n`,
      [w.accountId, w.admin.id],
    );
    const { body } = await w.graphql.send(mutation, {
      account: w.accountId,
      input: { user_id: w.admin.id },
    });
    expect(body.errors?.[0]?.extensions.fields).toEqual({
      after: ['matches more than 5000 changes: choose a shorter period'],
    });
  });
});

test('many records are taken back in the order of the changes, one with a long trail among them', async () => {
  const made = await service.database.query<{ id: number }>(
    `INSERT INTO products (account_id, name) SELECT $1, 'after' FROM generate_series(1, 250) RETURNING id`,
    [w.accountId],
  );
  const ids = made.map(({ id }) => id).reverse();
  const overtaken = ids[120] ?? 0;
  const record = (user: number, of: number[], before: object, after: object) =>
    service.database.query(
      `INSERT INTO audit_entries (account_id, user_id, action, record_type, record_id, before, after)
       SELECT $1, $2, 'product.update', 'product', id, $4, $5 FROM unnest($3::bigint[]) AS id`,
      [w.accountId, user, of, JSON.stringify(before), JSON.stringify(after)],
    );
  await record(w.admin.id, ids, { name: 'before' }, { name: 'then' });
  const often = Array<number>(2500).fill(overtaken);
  await record(w.member.id, often, { amount_in_cents: 1 }, { amount_in_cents: 2 });
  await record(w.member.id, [overtaken], { name: 'then' }, { name: 'after' });
  const { reverted, changes, conflicts } = await followed(() => revert());
  const expected = ids.filter((id) => id !== overtaken);
  expect(reverted).toBe(249);
  expect(changes.map(({ record_id }) => record_id)).toEqual(expected.slice(0, 200));
  expect(conflicts).toEqual([conflict('product', overtaken, 'changed', ['name'])]);
});
