import { describe, expect, test } from '@jest/globals';
import type { Contact, FetchedContact, Page } from '../kit/records.ts';
import { invalid, malformedJson, notFound, unauthorized } from '../kit/refusals.ts';
import { sharedService } from '../kit/service.ts';
import { contactBody, eventBody, onePage } from '../kit/shapes.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);

const full = {
  full_name: 'Ana Souza',
  phone: '+14155552671',
  email: 'ana@example.com',
  label_list: ['vip', 'beta'],
  custom_attributes: { city: 'Recife', tier: 2 },
};

describe('POST /contacts', () => {
  test('201 with the whole contact', async () => {
    expect(await w.rest.post('/contacts', full)).toAnswer(201, contactBody(w.accountId, full));
  });

  test('201 without any field: every field has its default', async () => {
    expect(await w.rest.post('/contacts', {})).toAnswer(201, contactBody(w.accountId));
  });

  test('201 with an empty body, which counts as {}', async () => {
    expect(await w.rest.send('POST', '/contacts')).toAnswer(201, contactBody(w.accountId));
    const typed = { 'content-type': 'application/json' };
    expect(await w.rest.post('/contacts', '', typed)).toAnswer(201, contactBody(w.accountId));
  });

  test('201 with null for every field: each has its default', async () => {
    const cleared = {
      full_name: null,
      phone: null,
      email: null,
      label_list: null,
      custom_attributes: null,
    };
    expect(await w.rest.post('/contacts', cleared)).toAnswer(201, contactBody(w.accountId));
  });

  test('read-only and unknown fields are ignored', async () => {
    const answer = await w.rest.post('/contacts', {
      id: 1,
      account_id: 1,
      created_at: '2001-01-01T00:00:00.000Z',
      updated_at: '2001-01-01T00:00:00.000Z',
      additional_attributes: { a: 1 },
      app_type: 'chat',
      app_id: 9,
      chat_conversations_label_list: ['x'],
      deals: [{ id: 1 }],
      events: [],
      nonsense: true,
    });
    expect(answer).toAnswer(201, contactBody(w.accountId));
    expect(answer.text).not.toContain('2001');
    expect(Reflect.get(Object(answer.body), 'id')).toBeGreaterThan(1);
  });

  test('created_at and updated_at are the moment of the creation', async () => {
    const before = new Date().toISOString();
    const contact = await w.contact();
    expect(contact.created_at).toBe(contact.updated_at);
    expect(contact.created_at >= before && contact.created_at <= new Date().toISOString()).toBe(
      true,
    );
  });

  test('401 without a token', async () => {
    expect(await w.restAs(undefined).post('/contacts', full)).toAnswer(401, unauthorized);
  });

  test('404 in an account that is not the caller’s', async () => {
    const stranger = await world(service);
    expect(await stranger.restAs(w.admin.token).post('/contacts', {})).toAnswer(404, notFound);
  });

  test('400 for malformed JSON', async () => {
    expect(await w.rest.post('/contacts', '{"full_name": ')).toAnswer(400, malformedJson);
  });

  test.each([
    'ana',
    'ana@',
    '@example.com',
    'a b@example.com',
    'ana@exa mple.com',
    'ana@-x.com',
    'á@example.com',
  ])('422 for the email %s', async (email) => {
    expect(await w.rest.post('/contacts', { email })).toAnswer(
      422,
      invalid({ email: 'is invalid' }),
    );
  });

  test.each(["o'neil+x@example.com", 'a@b', 'a.b-c_d@sub.example.co', '{x}|y@example.com'])(
    '201 for the email %s, valid by the rule of HTML',
    async (email) => {
      expect(await w.rest.post('/contacts', { email })).toAnswer(
        201,
        contactBody(w.accountId, { email }),
      );
    },
  );

  test('422 for an email and a phone that contacts of the account have', async () => {
    const { id: contact_id } = await w.contact({ email: 'taken@example.com' });
    await w.contact({ phone: '+14155550123' });
    const again = { email: ' TAKEN@example.com', phone: '+1 (415) 555-0123' };
    expect(await w.rest.post('/contacts', again)).toAnswer(
      422,
      invalid({ email: 'has already been taken', phone: 'has already been taken' }, { contact_id }),
    );
  });

  test('blank emails and phones are not taken by anyone', async () => {
    await w.contact({ email: '', phone: '' });
    await w.contact({ email: ' ', phone: ' ' });
  });

  test('another account may have the same email and phone', async () => {
    const other = await world(service);
    const same = { email: 'shared@example.com', phone: '+14155550199' };
    await w.contact(same);
    expect(await other.rest.post('/contacts', same)).toAnswer(
      201,
      contactBody(other.accountId, same),
    );
  });

  test('422 for every field that is wrong, all of them together', async () => {
    const before = await w.count('contacts');
    const wrong = {
      full_name: 'x'.repeat(256),
      phone: {},
      email: 'nope',
      label_list: [1.5],
      custom_attributes: [1],
    };
    expect(await w.rest.post('/contacts', wrong)).toAnswer(
      422,
      invalid({
        full_name: 'is too long (maximum is 255 characters)',
        phone: 'must be a string',
        email: 'is invalid',
        label_list: 'must be a string',
        custom_attributes: 'must be an object',
      }),
    );
    expect(await w.count('contacts')).toBe(before);
  });
});

describe('POST /contacts/search', () => {
  test('200 with the page of contacts that match', async () => {
    const contact = await w.contact({ full_name: 'Searched For' });
    const answer = await w.rest.post('/contacts/search', {
      query: { full_name_cont: 'searched f' },
    });
    expect(answer).toAnswer(200, onePage([contact]));
  });

  test('200 with an empty page when none matches', async () => {
    const answer = await w.rest.post('/contacts/search', { query: { full_name_cont: 'nobody' } });
    expect(answer).toAnswer(200, onePage([]));
  });

  test('401 without a token', async () => {
    expect(await w.restAs(undefined).post('/contacts/search', {})).toAnswer(401, unauthorized);
  });

  test('404 in an account that is not the caller’s', async () => {
    const stranger = await world(service);
    expect(await stranger.restAs(w.admin.token).post('/contacts/search', {})).toAnswer(
      404,
      notFound,
    );
  });
});

describe('GET /contacts/{id}', () => {
  test('200 with the whole contact, its deals and its events', async () => {
    const contact = await w.contact({ ...full, email: 'get@example.com', phone: '+14155550001' });
    const first = await w.deal({ contact_id: contact.id, name: 'First' });
    const second = await w.deal({
      contact_id: contact.id,
      name: 'Second',
      stage_id: w.other.stageId,
    });
    expect(await w.rest.get(`/contacts/${contact.id}`)).toAnswer(200, {
      ...contact,
      deals: [first, second],
      events: [
        eventBody(w.accountId, {
          deal_id: first.id,
          contact_id: contact.id,
          kind: 'deal_opened',
          additional_attributes: {
            stage_id: w.stageIds[0],
            stage_name: 'New',
            pipeline_id: w.pipelineId,
            pipeline_name: 'Sales',
            deal_name: 'First',
          },
        }),
        eventBody(w.accountId, {
          deal_id: second.id,
          contact_id: contact.id,
          kind: 'deal_opened',
          additional_attributes: {
            stage_id: w.other.stageId,
            stage_name: 'Lead',
            pipeline_id: w.other.pipelineId,
            pipeline_name: 'Partners',
            deal_name: 'Second',
          },
        }),
      ],
    });
  });

  test('200 with empty lists when it has neither', async () => {
    const contact = await w.contact();
    const answer = await w.rest.get(`/contacts/${contact.id}`);
    expect(answer).toAnswer(200, { ...contact, deals: [], events: [] });
  });

  test('deals and events come by id', async () => {
    const { id } = await w.contact();
    for (const name of ['c', 'a', 'b']) await w.deal({ contact_id: id, name });
    const { deals, events } = await w.fetchContact(id);
    const byId = (a: { id: number }, b: { id: number }) => a.id - b.id;
    expect(deals.map((deal) => deal.name)).toEqual(['c', 'a', 'b']);
    expect([...events].sort(byId)).toEqual(events);
  });

  test('401 without a token', async () => {
    const { id } = await w.contact();
    expect(await w.restAs(undefined).get(`/contacts/${id}`)).toAnswer(401, unauthorized);
  });

  test('404 for a contact of another account', async () => {
    const other = await world(service);
    const { id } = await other.contact();
    expect(await w.rest.get(`/contacts/${id}`)).toAnswer(404, notFound);
  });

  test.each([
    '999999999',
    '0',
    '-1',
    '1.5',
    'abc',
    '9007199254740992',
    '99999999999999999999',
    '%00',
    '1e3',
    '01',
    '+1',
  ])('404 for the id %s', async (id) => {
    expect(await w.rest.get(`/contacts/${id}`)).toAnswer(404, notFound);
  });
});

describe('POST /contacts/upsert', () => {
  test('201 with the whole contact when it is new', async () => {
    const sent = { ...full, email: 'upsert@example.com', phone: '+14155550002' };
    expect(await w.rest.post('/contacts/upsert', sent)).toAnswer(
      201,
      contactBody(w.accountId, sent),
    );
  });

  test('200 with the whole contact when one was updated', async () => {
    const contact = await w.contact({ ...full, email: 'twice@example.com', phone: '' });
    const answer = await w.rest.post<Contact>('/contacts/upsert', {
      email: 'Twice@Example.com',
      full_name: 'Ana Maria',
    });
    expect(answer).toAnswer(200, {
      ...contact,
      full_name: 'Ana Maria',
      updated_at: expect.any(String),
    });
    expect(answer.body.updated_at > contact.updated_at).toBe(true);
  });

  test('401 without a token', async () => {
    expect(await w.restAs(undefined).post('/contacts/upsert', full)).toAnswer(401, unauthorized);
  });

  test('404 in an account that is not the caller’s', async () => {
    const stranger = await world(service);
    expect(await stranger.restAs(w.admin.token).post('/contacts/upsert', {})).toAnswer(
      404,
      notFound,
    );
  });

  test('422 for an invalid email', async () => {
    const answer = await w.rest.post('/contacts/upsert', { email: 'nope' });
    expect(answer).toAnswer(422, invalid({ email: 'is invalid' }));
  });
});

describe('DELETE /contacts/{id}', () => {
  test('204 without a body; the contact is gone', async () => {
    const { id } = await w.contact();
    const answer = await w.rest.delete(`/contacts/${id}`);
    expect(answer).toAnswer(204);
    expect(answer.text).toBe('');
    expect(answer.headers['content-type']).toBeUndefined();
    expect(await w.rest.get(`/contacts/${id}`)).toAnswer(404, notFound);
    expect(await w.rest.delete(`/contacts/${id}`)).toAnswer(404, notFound);
  });

  test('204 takes all associations with it and nothing else', async () => {
    const own = await world(service);
    const gone = await own.contact({ label_list: 'a' });
    const kept = await own.contact({ label_list: 'a' });
    const product = await own.product();
    for (const contact of [gone, kept]) {
      for (let n = 0; n < 2; n += 1) {
        const deal = await own.deal({ contact_id: contact.id });
        await own.dealProduct({ deal_id: deal.id, product_id: product.id });
      }
    }
    expect(await own.rest.delete(`/contacts/${gone.id}`)).toAnswer(204);
    expect({
      contacts: await own.count('contacts'),
      deals: await own.count('deals'),
      deal_products: await own.count('deal_products'),
      deal_assignees: await own.count('deal_assignees'),
      events: await own.count('events'),
      products: await own.count('products'),
    }).toEqual({
      contacts: 1,
      deals: 2,
      deal_products: 2,
      deal_assignees: 2,
      events: 4,
      products: 1,
    });
    expect((await own.fetchProduct(product.id)).deal_products).toHaveLength(2);
    expect((await own.board(own.stageIds[0])).positions).toEqual([1, 2]);
    const labelled = await own.rest.post<Page<Contact>>('/contacts/search', {
      query: { label_list_cont: 'a' },
    });
    expect(labelled.body.data.map((contact) => contact.id)).toEqual([kept.id]);
  });

  test('a body is not looked at', async () => {
    const { id } = await w.contact();
    const answer = await w.rest.send('DELETE', `/contacts/${id}`, '{"malformed');
    expect(answer).toAnswer(204);
  });

  test('204 for a member too', async () => {
    const { id } = await w.contact();
    expect(await w.restAs(w.member.token).delete(`/contacts/${id}`)).toAnswer(204);
  });

  test('401 without a token; the contact stays', async () => {
    const { id } = await w.contact();
    expect(await w.restAs(undefined).delete(`/contacts/${id}`)).toAnswer(401, unauthorized);
    await w.fetchContact(id);
  });

  test('404 for a contact of another account, which stays', async () => {
    const other = await world(service);
    const { id } = await other.contact();
    expect(await w.rest.delete(`/contacts/${id}`)).toAnswer(404, notFound);
    await other.fetchContact(id);
  });

  test('404 for an id that no record can have', async () => {
    expect(await w.rest.delete('/contacts/abc')).toAnswer(404, notFound);
  });
});

test('a fetched contact can be sent back as it is', async () => {
  const contact = await w.contact({ ...full, email: 'back@example.com', phone: '+14155550003' });
  await w.deal({ contact_id: contact.id });
  const fetched = await w.rest.get<FetchedContact>(`/contacts/${contact.id}`);
  const answer = await w.rest.post<Contact>('/contacts/upsert', fetched.text);
  expect(answer).toAnswer(200, contact);
});
