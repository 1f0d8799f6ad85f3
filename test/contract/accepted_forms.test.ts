/** What forms and scripts send for JSON's own values. */
import { expect, test } from '@jest/globals';
import type { Stored } from '../kit/records.ts';
import { invalid } from '../kit/refusals.ts';
import { sharedService } from '../kit/service.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);

test('an empty text clears an integer, a time and a boolean, as null does', async () => {
  const product = await w.product({ amount_in_cents: 5, quantity_available: 6 });
  const blank = { amount_in_cents: '', quantity_available: '' };
  const cleared = await w.rest.put(`/products/${product.id}`, blank);
  expect(cleared.body).toMatchObject({ amount_in_cents: 0, quantity_available: 0 });
  const lost = await w.deal({ status: 'lost', lost_at: '2026-03-01T10:00:00Z' });
  expect(await w.updateDeal(lost.id, { lost_at: '' })).toMatchObject({ lost_at: null });
  const user = await w.user({ webpush_notify_on_event_expired: '1' });
  expect(user.notifications).toEqual({ webpush_notify_on_event_expired: true });
  const changed = await w.rest.put(`/users/${user.id}`, { webpush_notify_on_event_expired: '' });
  expect(changed.body).toMatchObject({ notifications: { webpush_notify_on_event_expired: false } });
  expect(await w.rest.post('/deals', { stage_id: '', contact_id: '' })).toAnswer(
    422,
    invalid({ stage_id: 'must exist', contact_id: 'must exist' }),
  );
});

test('an empty list is an empty object, as PHP writes one, and no other list is', async () => {
  const sent = { custom_attributes: [], additional_attributes: [] };
  const contact = await w.contact(sent);
  expect(contact).toMatchObject({ custom_attributes: {}, additional_attributes: {} });
  const { id } = await w.contact({ custom_attributes: { a: [] } });
  const put = (custom_attributes: unknown) => w.rest.put(`/contacts/${id}`, { custom_attributes });
  expect(await put([1])).toAnswer(422, invalid({ custom_attributes: 'must be an object' }));
  expect((await put([])).body).toMatchObject({ custom_attributes: {} });
});

test.each([
  [true, true],
  ['true', true],
  [1, true],
  ['1', true],
  [false, false],
  ['false', false],
  [0, false],
  ['0', false],
])('%j is the boolean %s', async (done, kept) => {
  const { id } = await w.contact();
  const event = await w.rest.post<Stored>(`/contacts/${id}/events`, { kind: 'note', done });
  expect(event.body).toMatchObject({ done: kept });
});

test.each([
  ['12345', '12345'],
  ['12345678901234567890', '12345678901234567890'],
  ['1e3', '1000'],
])('the JSON number %s is the text %s', async (json, digits) => {
  const answer = await w.rest.post('/products', `{"identifier":${json}}`);
  expect(answer.body).toMatchObject({ identifier: digits });
  const data = await w.graphql.data(
    `mutation { create_product(account_id: ${w.accountId}, input: { identifier: ${json} }) { identifier } }`,
  );
  expect(data).toEqual({ create_product: { identifier: digits } });
});

test('a password may be sent as a number, and so may its confirmation', async () => {
  await w.user({ password: 123456, password_confirmation: '123456' });
  await w.user({ password: '123456', password_confirmation: 123456 });
});

test.each([1.5, true, [], {}])('%j is no text', async (identifier) => {
  expect(await w.rest.post('/products', { identifier })).toAnswer(
    422,
    invalid({ identifier: 'must be a string' }),
  );
});

test('a domain in another script is kept in its ASCII form, and unique in it', async () => {
  const contact = await w.contact({ email: ' Ana@BÜCHER.example ' });
  expect(contact.email).toBe('ana@xn--bcher-kva.example');
  expect(await w.rest.post('/contacts', { email: 'ana@xn--bcher-kva.example' })).toMatchObject({
    status: 422,
  });
  expect((await w.contact({ email: 'x@例え.テスト' })).email).toBe('x@xn--r8jz45g.xn--zckzah');
  for (const email of [
    'ü@example.com',
    'a@bü cher.example',
    'a@bü/cher.example',
    'a@ü%41.example',
  ]) {
    expect(await w.rest.post('/contacts', { email })).toAnswer(
      422,
      invalid({ email: 'is invalid' }),
    );
  }
});

test('phones are read in the account’s default country', async () => {
  const own = await world(service);
  await service.database.query(`UPDATE accounts SET default_country = 'BR' WHERE id = $1`, [
    own.accountId,
  ]);
  expect((await own.contact({ phone: '(11) 8765-4321' })).phone).toBe('+5511987654321');
  const answer = await own.rest.post('/contacts/upsert', { phone: '11 98765 4321' });
  expect(answer.status).toBe(200);
  expect((await w.contact({ phone: '(11) 98765-4321' })).phone).toBe('(11) 98765-4321');
});

test('labels are searched by every predicate of a text, under both of their names', async () => {
  const own = await world(service);
  const labels = { none: [], vip: ['VIP', 'lead'], brace: ['{vip}'], number: ['1'] };
  const names = new Map<number, string>();
  for (const [name, label_list] of Object.entries(labels)) {
    names.set((await own.contact({ label_list })).id, name);
  }
  const search = async (query: object) => {
    const { body } = await own.rest.post<{ data: Stored[] }>('/contacts/search', { query });
    return body.data?.map(({ id }) => names.get(id));
  };
  const all = ['none', 'vip', 'brace', 'number'];
  const cases: readonly (readonly [string, unknown, readonly string[]])[] = [
    ['eq', 'VIP', ['vip']],
    ['eq', 1, ['number']],
    ['eq', '{vip}', ['brace']],
    ['not_eq', 'VIP', ['none', 'brace', 'number']],
    ['in', ['VIP', '1'], ['vip', 'number']],
    ['not_in', ['VIP', '1'], ['none', 'brace']],
    ['eq_any', ['lead', '{vip}'], ['vip', 'brace']],
    ['eq_all', ['VIP', 'lead'], []],
    ['not_eq_all', ['VIP', '1'], ['none', 'brace']],
    ['not_eq_any', ['VIP', 'lead'], all],
    ['cont', 'vip', ['vip', 'brace']],
    ['cont_any', ['ead', '1'], ['vip', 'number']],
    ['cont_all', ['v', 'p'], ['vip', 'brace']],
    ['not_cont', 'vip', ['none', 'number']],
    ['not_cont_all', ['vip', '1'], ['none']],
    ['start', 'v', ['vip']],
    ['not_end', '}', ['none', 'vip', 'number']],
    ['matches', 'V_P', ['vip']],
    ['lt', 'A', ['number']],
    ['gteq_any', ['l', 'z'], ['vip', 'brace']],
    ['present', true, ['vip', 'brace', 'number']],
    ['blank', true, ['none']],
    ['null', true, ['none']],
    ['not_null', true, ['vip', 'brace', 'number']],
    ['null', false, ['vip', 'brace', 'number']],
  ];
  for (const [predicate, value, found] of cases) {
    for (const name of ['label_list', 'labels_name']) {
      const key = `${name}_${predicate}`;
      expect([key, value, await search({ [key]: value })]).toEqual([key, value, found]);
    }
  }
});
