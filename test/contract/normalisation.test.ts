import { describe, expect, test } from '@jest/globals';
import type { Contact } from '../kit/records.ts';
import { invalid, invalidFields } from '../kit/refusals.ts';
import { sharedService } from '../kit/service.ts';
import { unique, world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);

describe('full_name', () => {
  test.each([
    ['  Ana   Maria\t\n Souza ', 'Ana Maria Souza'],
    ['   ', ''],
    ['ÁNA', 'ÁNA'],
    ['Ana Souza', 'Ana Souza'],
    ['Zoe\u0308', 'Zo\u00eb'],
    ['\u200b\u2060 \u00ad', ''],
    ['Ana\u200dMaria', 'Ana\u200dMaria'],
  ])('%j becomes %j', async (sent, kept) => {
    expect((await w.contact({ full_name: sent })).full_name).toBe(kept);
  });

  test('255 characters are taken, one more is a 422', async () => {
    expect((await w.contact({ full_name: '😀'.repeat(255) })).full_name).toHaveLength(510);
    expect(await w.rest.post('/contacts', { full_name: '😀'.repeat(256) })).toAnswer(
      422,
      invalid({ full_name: 'is too long (maximum is 255 characters)' }),
    );
  });
});

describe('email', () => {
  test.each([
    [' Ana.Souza@EXAMPLE.com\n', 'ana.souza@example.com'],
    ['', ''],
    ['   ', ''],
  ])('%j becomes %j', async (sent, kept) => {
    expect((await w.contact({ email: sent })).email).toBe(kept);
  });

  test('a contact is found by it in any case', async () => {
    const { id } = await w.contact({ email: 'Case@Example.com' });
    const answer = await w.rest.post<Contact>('/contacts/upsert', { email: 'CASE@EXAMPLE.COM' });
    expect([answer.status, answer.body.id]).toEqual([200, id]);
  });

  test('255 characters are taken, one more is a 422', async () => {
    const local = (length: number) => `${'a'.repeat(length - '@example.com'.length)}@example.com`;
    expect((await w.contact({ email: local(255) })).email).toBe(local(255));
    expect(await w.rest.post('/contacts', { email: local(256) })).toAnswer(
      422,
      invalidFields('email'),
    );
  });
});

describe('phone', () => {
  test.each([
    ['+14155552671', '+14155552671'],
    ['+1 (415) 555-2672', '+14155552672'],
    ['+1.415.555.2673', '+14155552673'],
    ['0014155552674', '+14155552674'],
    ['00 1 415 555 2675', '+14155552675'],
    ['14155552676', '+14155552676'],
    ['5581998765432', '+5581998765432'],
    [' +55 81 99876-5433 ', '+5581998765433'],
    // No international number can be read here: kept as sent, without surrounding blanks.
    ['  5 55-12 34 ', '5 55-12 34'],
    ['555-1234', '555-1234'],
    ['ext. 12', 'ext. 12'],
    ['+999 123', '+999123'],
    ['call me', 'call me'],
    ['', ''],
    ['  ', ''],
  ])('%j becomes %j', async (sent, kept) => {
    const own = await world(service);
    expect((await own.contact({ phone: sent })).phone).toBe(kept);
  });

  test('a default country of the account reads national numbers', async () => {
    const own = await world(service);
    await service.database.query("UPDATE accounts SET default_country = 'BR' WHERE id = $1", [
      own.accountId,
    ]);
    const brazilian = await own.contact({ phone: '(81) 99876-5432' });
    expect(brazilian.phone).toBe('+5581998765432');
    const elsewhere = await own.contact({ phone: '+1 415 555 2671' });
    expect(elsewhere.phone).toBe('+14155552671');
    const answer = await own.rest.post<Contact>('/contacts/upsert', { phone: '81998765432' });
    expect([answer.status, answer.body.id]).toEqual([200, brazilian.id]);
  });

  test('a contact is found by it in any spelling', async () => {
    const { id } = await w.contact({ phone: '+1 415 555 2690' });
    const answer = await w.rest.post<Contact>('/contacts/upsert', { phone: '001 (415) 555-2690' });
    expect([answer.status, answer.body.id]).toEqual([200, id]);
  });

  test('255 characters are taken, one more is a 422', async () => {
    expect((await w.contact({ phone: 'p'.repeat(255) })).phone).toHaveLength(255);
    expect(await w.rest.post('/contacts', { phone: 'p'.repeat(256) })).toAnswer(
      422,
      invalidFields('phone'),
    );
  });
});

describe('label_list', () => {
  test.each([
    ['a comma-separated string', 'vip, beta ,gamma', ['vip', 'beta', 'gamma']],
    ['an array', ['vip', ' beta '], ['vip', 'beta']],
    ['quotes protect a comma', 'vip,"a, b",c', ['vip', 'a, b', 'c']],
    ['one label', 'vip', ['vip']],
    ['an array keeps commas', ['a, b', 'c'], ['a, b', 'c']],
    ['blanks are dropped', 'a,, ,b,', ['a', 'b']],
    ['blanks are dropped from an array', ['a', '', '  ', 'b'], ['a', 'b']],
    [
      'duplicates are dropped ignoring case, the first spelling stays',
      'Vip,vip,VIP,É,é',
      ['Vip', 'É'],
    ],
    ['duplicates are dropped from an array', ['b', 'a', 'B', 'A'], ['b', 'a']],
    ['the order is kept', 'c,a,b', ['c', 'a', 'b']],
    ['an empty string', '', []],
    ['a blank string', '  ', []],
    ['an empty array', [], []],
    ['null', null, []],
  ])('%s', async (_, sent, kept) => {
    const created = await w.contact({ label_list: sent });
    expect(created.label_list).toEqual(kept);
    expect((await w.fetchContact(created.id)).label_list).toEqual(kept);
  });

  test('sending it replaces the list, leaving it out keeps it', async () => {
    await w.contact({ email: 'labels@example.com', label_list: 'a,b' });
    const upsert = async (fields: object) =>
      (await w.rest.post<Contact>('/contacts/upsert', { email: 'labels@example.com', ...fields }))
        .body;
    expect((await upsert({ full_name: 'x' })).label_list).toEqual(['a', 'b']);
    expect((await upsert({ label_list: ['c'] })).label_list).toEqual(['c']);
    expect((await upsert({ label_list: '' })).label_list).toEqual([]);
    expect((await upsert({ label_list: 'd' })).label_list).toEqual(['d']);
    expect((await upsert({ label_list: [] })).label_list).toEqual([]);
    expect((await upsert({ label_list: 'e' })).label_list).toEqual(['e']);
    expect((await upsert({ label_list: null })).label_list).toEqual([]);
  });

  test('a label of 255 characters is taken, one more is a 422', async () => {
    expect((await w.contact({ label_list: ['é'.repeat(255)] })).label_list).toEqual([
      'é'.repeat(255),
    ]);
    expect(await w.rest.post('/contacts', { label_list: ['x'.repeat(256)] })).toAnswer(
      422,
      invalidFields('label_list'),
    );
  });

  test.each([[5], [true], [{}], [[1.5]], [['a', null]], [['a', ['b']]], [[{}]]])(
    '422 for %j',
    async (wrong) => {
      expect(await w.rest.post('/contacts', { label_list: wrong })).toAnswer(
        422,
        invalidFields('label_list'),
      );
    },
  );
});

describe('other strings', () => {
  test('product and deal names are kept as they are sent', async () => {
    const odd = '  Chair  «1»\t';
    expect(await w.product({ name: odd, identifier: odd, description: `${odd}\n` })).toMatchObject({
      name: odd,
      identifier: odd,
      description: `${odd}\n`,
    });
    expect((await w.deal({ name: odd })).name).toBe(odd);
  });

  test('every one of a single line holds 255 characters, those of many 65,535', async () => {
    const { id } = await w.contact();
    const attached = await w.dealProduct();
    const password = 'correct horse';
    const user = { password, password_confirmation: password };
    const inputs: readonly (readonly [string, string, string, object, readonly string[]])[] = [
      ['PUT', '', 'x', {}, ['name']],
      ['POST', '/products', 'x', {}, ['identifier', 'name']],
      ['PUT', `/deal_products/${attached.id}`, 'x', {}, ['product_name', 'product_identifier']],
      ['PUT', `/deals/${attached.deal_id}`, 'x', {}, ['name']],
      ['POST', `/contacts/${id}/events`, 'x', { kind: 'note' }, ['title']],
      ['POST', '/users', 'x', user, ['full_name', 'phone']],
      ['PUT', `/users/${w.member.id}`, 'https://x', {}, ['avatar_url']],
      ['POST', '/pipelines', 'x', {}, ['name']],
      ['POST', '/stages', 'x', { pipeline_id: w.pipelineId }, ['name']],
    ];
    for (const [method, path, start, besides, fields] of inputs) {
      const of = (length: number) =>
        Object.fromEntries(fields.map((field) => [field, start.padEnd(length, 'x')]));
      const sent = (length: number) => ({
        ...besides,
        ...(path === '/users' && { email: unique('long') }),
        ...of(length),
      });
      const taken = await w.rest.send(method, path, sent(255));
      expect([path, taken.status < 300 || taken.text, taken.body]).toMatchObject([
        path,
        true,
        of(255),
      ]);
      const message = 'is too long (maximum is 255 characters)';
      const told = Object.fromEntries(fields.map((field) => [field, message]));
      expect(await w.rest.send(method, path, sent(256))).toAnswer(422, invalid(told));
    }
    const content = 'é'.repeat(65_535);
    const note = await w.rest.post(`/contacts/${id}/events`, { kind: 'note', content });
    expect(note.body).toMatchObject({ content });
  });

  test('description and lost_reason hold 65,535 characters', async () => {
    const max = 'é'.repeat(65_535);
    expect((await w.product({ description: max })).description).toBe(max);
    const { id } = await w.deal({ status: 'lost', lost_reason: max });
    expect((await w.fetchDeal(id)).lost_reason).toBe(max);
    expect(await w.rest.post('/products', { description: `${max}x` })).toAnswer(
      422,
      invalidFields('description'),
    );
  });

  test('any text but NUL and lone surrogates comes back in its composed form', async () => {
    const text =
      '\u0001\u001f "\\ \u2028 \ufeff 😀 e\u0301 \u{10ffff} ﷽ \ud83d\udc68\u200d\ud83d\udc69';
    const composed = text.normalize('NFC');
    expect(await w.product({ name: text, description: text })).toMatchObject({
      name: composed,
      description: composed,
    });
  });
});
