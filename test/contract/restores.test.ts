/** What was removed comes back, with all that went with it, or the answer says what stands in the way. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { now, read } from '../kit/feed.ts';
import { invalid, notFound } from '../kit/refusals.ts';
import { sharedService } from '../kit/service.ts';
import { unique, type World, world } from '../kit/world.ts';
import { large } from '../undo/large.ts';
import { followed, revert } from '../undo/revert.ts';

const service = await sharedService();
let w: World;
beforeEach(async () => {
  w = await world(service);
});

const dropping = async (path: string) => {
  const before = await w.rest.get(path);
  expect(await w.rest.delete(path)).toAnswer(204);
  return before;
};
const restore = (path: string) => w.rest.post<Record<string, unknown>>(`${path}/restore`);

/** A contact with a deal between two others, a product on it, a note on each. */
async function family() {
  const [first, last] = [await w.deal({ name: 'first' }), await w.deal({ name: 'last' })];
  const contact = await w.contact({
    ...{ full_name: 'Ana', email: unique('ana'), label_list: ['a', 'b'] },
    custom_attributes: { b: 1, a: { '2': null }, big: 12345678901234 },
  });
  const deal = await w.deal({ contact_id: contact.id, name: 'hers', position: 2, status: 'won' });
  const line = await w.dealProduct({ deal_id: deal.id, quantity: 3 });
  await w.rest.post(`/deals/${deal.id}/events`, { kind: 'note', content: 'x' });
  await w.rest.post(`/contacts/${contact.id}/events`, { kind: 'activity', title: 'call' });
  return { first, last, contact, deal, line };
}

describe('comes back to the byte', () => {
  test('a contact with deals, products, assignees and events', async () => {
    const { contact, deal, line, first, last } = await family();
    const path = `/contacts/${contact.id}`;
    const deals = `/deals/${deal.id}`;
    const [before, dealBefore] = [await w.rest.get(path), await w.rest.get(deals)];
    const lineBefore = await w.rest.get(`/deal_products/${line.id}`);
    await dropping(path);
    expect(await w.rest.get(deals)).toAnswer(404, notFound);
    const answer = await followed(w, () => restore(path));
    expect([answer.status, answer.text]).toEqual([200, before.text]);
    expect((await w.rest.get(path)).text).toBe(before.text);
    expect((await w.rest.get(deals)).text).toBe(dealBefore.text);
    expect((await w.rest.get(`/deal_products/${line.id}`)).text).toBe(lineBefore.text);
    expect((await w.board(w.stageIds[0])).ids).toEqual([first.id, deal.id, last.id]);
  });

  test.each(['deals', 'products', 'deal_products', 'events'])('one of the %s', async (table) => {
    const { deal, line } = await family();
    const product = await w.product({ custom_attributes: { z: 1, a: [] } });
    const { events } = await w.fetchContact(deal.contact_id);
    const id =
      { deals: deal.id, products: product.id, deal_products: line.id }[table] ?? events[0]?.id;
    const path = `/${table}/${id}`;
    const before = await dropping(path);
    const answer = await followed(w, () => restore(path));
    const loose = (text: string) => text.replace(/"updated_at":"[^"]+"/g, '');
    expect([answer.status, loose(answer.text)]).toEqual([200, loose(before.text)]);
    const own = before.body as { updated_at: string };
    expect(answer.body.updated_at).toBe(own.updated_at);
  });

  test('through GraphQL', async () => {
    const { contact } = await family();
    const path = `/contacts/${contact.id}`;
    const before = await dropping(path);
    const document = `mutation { restore_contact(account_id: ${w.accountId}, id: ${contact.id}) { id email deals { id } } }`;
    const { restore_contact } = await w.graphql.data<{ restore_contact: object }>(document);
    expect(restore_contact).toMatchObject({ id: contact.id, email: contact.email });
    expect((await w.rest.get(path)).text).toBe(before.text);
  });

  test('what a batch removed, each by itself', async () => {
    const { contact, deal } = await family();
    const other = await w.contact();
    const records = [{ id: contact.id }, { id: other.id }];
    await w.rest.post('/contacts/batch', { operation: 'delete', records });
    expect((await restore(`/contacts/${contact.id}`)).status).toBe(200);
    expect((await w.rest.get(`/deals/${deal.id}`)).status).toBe(200);
    expect((await w.rest.get(`/contacts/${other.id}`)).status).toBe(404);
  });

  test('what is removed again', async () => {
    const { contact } = await family();
    const path = `/contacts/${contact.id}`;
    const before = await dropping(path);
    for (let turn = 0; turn < 3; turn += 1) {
      expect((await restore(path)).text).toBe(before.text);
      await w.rest.delete(path);
    }
    expect((await restore(path)).text).toBe(before.text);
  });
});

describe('a deal comes back', () => {
  const names = async () => {
    const { ids } = await w.board(w.stageIds[0]);
    return Promise.all(ids.map(async (id) => (await w.fetchDeal(id)).name));
  };
  const stage = async (...list: string[]) => {
    const ids = new Map<string, number>();
    for (const name of list) ids.set(name, (await w.deal({ name })).id);
    return (name: string) => `/deals/${ids.get(name)}`;
  };

  test('between its neighbours, wherever they are by now', async () => {
    const at = await stage('a', 'b', 'c', 'd');
    await dropping(at('c'));
    await w.rest.put(at('d'), { position: 1 });
    await w.deal({ name: 'e', position: 1 });
    expect((await restore(at('c'))).status).toBe(200);
    expect(await names()).toEqual(['e', 'd', 'a', 'b', 'c']);
  });

  test('beside the one that is left', async () => {
    const at = await stage('a', 'b', 'c', 'd');
    await dropping(at('b'));
    await dropping(at('a'));
    expect((await restore(at('b'))).status).toBe(200);
    expect(await names()).toEqual(['b', 'c', 'd']);
    await restore(at('a'));
    expect(await names()).toEqual(['b', 'a', 'c', 'd']);
  });

  test('at the end where no neighbour is left', async () => {
    const at = await stage('a', 'b', 'c', 'd', 'e');
    await dropping(at('b'));
    await dropping(at('a'));
    await w.rest.put(at('c'), { stage_id: w.stageIds[1] });
    expect((await restore(at('b'))).status).toBe(200);
    expect(await names()).toEqual(['d', 'e', 'b']);
  });

  test('with those that went beside it, in their order', async () => {
    const at = await stage('a');
    const { id } = await w.contact();
    for (const name of ['b', 'c', 'd']) await w.deal({ name, contact_id: id });
    await w.deal({ name: 'e' });
    await dropping(`/contacts/${id}`);
    await dropping(at('a'));
    await restore(`/contacts/${id}`);
    expect(await names()).toEqual(['b', 'c', 'd', 'e']);
    await restore(at('a'));
    expect(await names()).toEqual(['b', 'c', 'd', 'a', 'e']);
  });
});

describe('refused is', () => {
  test('a record that is there, one that never was, and one of another account', async () => {
    const { id } = await w.contact();
    expect(await restore(`/contacts/${id}`)).toAnswer(422, invalid({ id: 'is not deleted' }));
    expect(await restore('/contacts/999999999')).toAnswer(404, notFound);
    expect(await restore('/contacts/abc')).toAnswer(404, notFound);
    await dropping(`/contacts/${id}`);
    const other = await world(service);
    expect(await other.rest.post(`/contacts/${id}/restore`)).toAnswer(404, notFound);
    expect((await restore(`/contacts/${id}`)).status).toBe(200);
  });

  test('an e-mail and a phone that others have by now', async () => {
    const [email, phone] = [unique('taken'), '+14155550199'];
    const { id } = await w.contact({ email, phone });
    await dropping(`/contacts/${id}`);
    const holder = await w.contact({ email });
    await w.contact({ phone });
    expect(await restore(`/contacts/${id}`)).toAnswer(
      422,
      invalid(
        { email: 'has already been taken', phone: 'has already been taken' },
        { contact_id: holder.id },
      ),
    );
  });

  test('everything that is gone, at once', async () => {
    const { deal, line } = await family();
    const stage = await w.rest.post<{ id: number }>('/stages', {
      ...{ name: 'x', pipeline_id: w.pipelineId },
    });
    await w.updateDeal(deal.id, { stage_id: stage.body.id });
    await dropping(`/contacts/${deal.contact_id}`);
    await w.rest.delete(`/stages/${stage.body.id}`);
    expect(await w.rest.delete(`/products/${line.product_id}`)).toAnswer(204);
    expect(await restore(`/contacts/${deal.contact_id}`)).toAnswer(
      422,
      invalid({
        [`deals.${deal.id}.stage_id`]: 'must exist',
        [`deal_products.${line.id}.product_id`]: 'must exist',
      }),
    );
    expect(await restore(`/deals/${deal.id}`)).toAnswer(
      422,
      invalid({
        ...{ contact_id: 'must exist', stage_id: 'must exist' },
        [`deal_products.${line.id}.product_id`]: 'must exist',
      }),
    );
    expect(await restore(`/deal_products/${line.id}`)).toAnswer(
      422,
      invalid({ deal_id: 'must exist', product_id: 'must exist' }),
    );
  });

  test('an erased contact with all that it had, for good', async () => {
    const { contact, deal } = await family();
    const document = `mutation { erase_contact(account_id: ${w.accountId}, id: ${contact.id}) { done } }`;
    await w.graphql.data(document);
    for (const path of [`/contacts/${contact.id}`, `/deals/${deal.id}`]) {
      expect(await restore(path)).toMatchObject({
        ...{
          status: 410,
          body: { error: 'Gone', errors: ['The record was erased, and cannot be restored'] },
        },
      });
    }
  });

  test('a token without the scope to remove', async () => {
    const { body } = await w.rest.post<{ access_token: string }>('/tokens', {
      ...{ name: 'x', scopes: ['contacts:read', 'deals:write'] },
    });
    const { contact } = await family();
    await dropping(`/contacts/${contact.id}`);
    const rest = w.restAs(body.access_token);
    expect((await rest.post(`/contacts/${contact.id}/restore`)).status).toBe(403);
  });
});

test('of many restores and creations of the same e-mail at once one wins', async () => {
  const email = unique('won');
  const { id } = await w.contact({ email });
  await dropping(`/contacts/${id}`);
  const answers = await Promise.all(
    Array.from({ length: 16 }, (_, n) =>
      n % 2 ? restore(`/contacts/${id}`) : w.rest.post('/contacts', { email }),
    ),
  );
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status < 300)).toHaveLength(1);
  expect(new Set(statuses.filter((status) => status >= 300))).toEqual(new Set([422]));
  const { body } = await w.rest.post<{ data: unknown[] }>('/contacts/search', {
    query: { email_eq: email },
  });
  expect(body.data).toHaveLength(1);
});

test('the feed tells a creation with the old id that is restored, and nothing else is', async () => {
  const start = await now(w.rest);
  const contact = await w.contact({ full_name: 'Ana' });
  await dropping(`/contacts/${contact.id}`);
  await restore(`/contacts/${contact.id}`);
  const { data: changes } = await read(w.rest, start, 3);
  expect(
    changes.map(({ action, record_id, ...rest }) => [action, record_id, 'restored' in rest]),
  ).toEqual([
    ['create', contact.id, false],
    ['delete', contact.id, false],
    ['create', contact.id, true],
  ]);
  expect(changes.at(-1)).toMatchObject({
    ...{ restored: true, before: null },
    after: {
      ...{ full_name: 'Ana', created_at: contact.created_at, updated_at: contact.updated_at },
    },
  });
});

test('it is taken back in turn, and so is a removal by its request', async () => {
  const { contact, deal } = await family();
  const path = `/contacts/${contact.id}`;
  const before = await w.rest.get(path);
  await w.rest.delete(path, { 'x-request-id': 'mistake' });
  const undone = await followed(w, () => revert(w, { request_id: 'mistake' }));
  expect(undone).toMatchObject({ conflicts: [] });
  expect(undone.changes).toContainEqual(
    expect.objectContaining({ record_type: 'deal', record_id: deal.id, action: 'create' }),
  );
  expect((await w.rest.get(path)).text).toBe(before.text);
  await w.rest.delete(path);
  await w.rest.post(`${path}/restore`, undefined, { 'x-request-id': 'back' });
  await followed(w, () => revert(w, { request_id: 'back' }));
  expect((await w.rest.get(path)).status).toBe(404);
});

test('forty deals and three hundred events come back', async () => {
  const { before, after } = await large(w, 40, 300);
  expect(after).toEqual(before);
});

test('a removal by a former version comes back with the times that the trail says', async () => {
  const contact = await w.contact({ full_name: 'Ana' });
  const { body } = await w.rest.put<{ updated_at: string }>(`/contacts/${contact.id}`, {
    full_name: 'Bo',
  });
  await dropping(`/contacts/${contact.id}`);
  await service.database.query('UPDATE audit_entries SET remains = NULL WHERE account_id = $1', [
    w.accountId,
  ]);
  expect((await restore(`/contacts/${contact.id}`)).body).toMatchObject({
    ...{ created_at: contact.created_at, updated_at: body.updated_at, full_name: 'Bo' },
  });
  await dropping(`/contacts/${contact.id}`);
  await service.database.query(
    "DELETE FROM audit_entries WHERE account_id = $1 AND action LIKE 'contact.%' AND id < (SELECT max(id) FROM audit_entries)",
    [w.accountId],
  );
  await service.database.query('UPDATE audit_entries SET remains = NULL WHERE account_id = $1', [
    w.accountId,
  ]);
  expect(await restore(`/contacts/${contact.id}`)).toAnswer(404, notFound);
});
