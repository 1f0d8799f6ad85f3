/** `?fields=`: an answer with some of its fields. */
import { describe, expect, test } from '@jest/globals';
import type { Page, Stored } from '../kit/records.ts';
import { invalidFields, notFound } from '../kit/refusals.ts';
import { sharedService } from '../kit/service.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);

describe('?fields=', () => {
  test('answers a record with the fields named, in the order of the whole', async () => {
    const deal = await w.deal({ name: 'Chosen' });
    const whole = await w.fetchContact(deal.contact_id);
    const path = `/contacts/${deal.contact_id}`;
    const { full_name, deals, id } = whole;
    for (let times = 0; times < 3; times++) {
      const answer = await w.rest.get(`${path}?fields=deals,%20full_name,id`);
      expect(answer.text).toBe(JSON.stringify({ id, full_name, deals }));
    }
    expect((await w.rest.get(`${path}?fields=`)).body).toEqual(whole);
    expect((await w.rest.get(`${path}?fields=id&fields=email`)).body).toEqual({ id, email: '' });
  });

  test('reads nothing else from the database', async () => {
    const { contact_id } = await w.deal();
    const from = service.statements.length;
    await w.rest.get(`/contacts/${contact_id}?fields=id,email`);
    const [statement = '', ...more] = service.statements.slice(from);
    expect(more).toEqual([]);
    expect(statement).toContain('"email"');
    for (const unread of ['"full_name"', '"custom_attributes"', '"events"', '"deals"']) {
      expect(statement).not.toContain(unread);
    }
  });

  test('holds for each record of a search, and leaves the pagination', async () => {
    const own = await world(service);
    const { id } = await own.contact({ full_name: 'Ana' });
    const whole = await own.rest.post<Page<Stored>>('/contacts/search', {});
    const data = [{ id, full_name: 'Ana' }];
    const { pagination } = whole.body;
    for (const method of ['POST', 'GET']) {
      const { body } = await own.rest.send(method, '/contacts/search?fields=full_name,id');
      expect(body).toEqual({ data, pagination });
    }
  });

  test('holds for what a write answers with', async () => {
    const created = await w.rest.post<Stored>('/contacts?fields=id,email', {
      email: 'a@b.example',
    });
    expect([created.status, created.body]).toEqual([
      201,
      { id: expect.any(Number), email: 'a@b.example' },
    ]);
    const upserted = await w.rest.post('/contacts/upsert?fields=id', { email: 'a@b.example' });
    expect([upserted.status, upserted.body]).toEqual([200, { id: created.body.id }]);
    const path = `/contacts/${created.body.id}`;
    const changed = await w.rest.put(`${path}?fields=full_name`, { full_name: 'Ana', mail: 1 });
    expect([changed.status, changed.body]).toEqual([200, { full_name: 'Ana' }]);
    expect(changed.headers['x-ignored-fields']).toBe('mail');
    const [deal, product] = [await w.deal(), await w.product({ name: 'Chair' })];
    const body = { deal_id: deal.id, product_id: product.id };
    const attached = await w.rest.post('/deal_products?fields=product_name,deal', body);
    expect(attached.body).toEqual({
      product_name: 'Chair',
      deal: expect.objectContaining({ id: deal.id }),
    });
  });

  test('refuses an unknown name with the nearest one, after 404, and writes nothing', async () => {
    const { id } = await w.contact({ full_name: 'Kept' });
    const message = '"fullname" is not a field (did you mean full_name?)';
    const told = { ...invalidFields('fields'), fields: { fields: [message] } };
    expect(await w.rest.get(`/contacts/${id}?fields=id,fullname`)).toAnswer(422, told);
    expect(await w.rest.get('/contacts/1?fields=fullname')).toAnswer(404, notFound);
    const put = await w.rest.put(`/contacts/${id}?fields=fullname`, { full_name: 'Changed' });
    expect(put).toAnswer(422, told);
    expect((await w.fetchContact(id)).full_name).toBe('Kept');
    expect(await w.rest.post('/contacts/search?fields=fullname', { query: { x_eq: 1 } })).toAnswer(
      422,
      {
        ...told,
        error: 'Invalid search parameters',
        code: 'invalid_search',
        fields: { fields: [message], x_eq: ['is not a searchable attribute'] },
        codes: { fields: ['unknown_field'], x_eq: ['unknown_attribute'] },
      },
    );
    expect(await w.rest.get(`/contacts/${id}?fields[a]=id`)).toAnswer(422, invalidFields('fields'));
  });

  test('reports the first hundred unknown names', async () => {
    const { id } = await w.contact();
    const names = Array.from({ length: 500 }, (_, n) => `zz${n}`).join();
    const { body } = await w.rest.get<{ errors: string[] }>(`/contacts/${id}?fields=${names}`);
    expect(body.errors).toHaveLength(100);
  });
});
