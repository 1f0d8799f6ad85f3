/** The folded texts that records are found by: one table in the service and in the database. */
import { describe, expect, test } from '@jest/globals';
import { fold } from '../../src/search/fold.ts';
import { sharedService } from '../kit/service.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);

/** What the database makes of texts. */
async function foldedThere(texts: readonly string[]): Promise<readonly string[]> {
  const rows = await service.database.query<{ folded: string }>(
    `SELECT fold_text_1(content) AS folded FROM unnest($1::text[]) WITH ORDINALITY AS sent(content, place) ORDER BY place`,
    [texts],
  );
  return rows.map(({ folded }) => folded);
}

/** Of Unicode 16 and 17, which not every PostgreSQL knows. */
const newest = /[\ua7cb-\ua7cf\ua7d2\ua7d4\ua7da-\ua7dc\ua7f1]/;

/** Every character of the basic plane, and those beyond it that decompose. */
function* characters(): Generator<string> {
  for (let code = 1; code < 0x1_1000; code++) {
    const character = String.fromCodePoint(code);
    const isOne = code < 0xd800 || code > 0xdfff;
    if (isOne && !/\p{Cn}|\p{Co}/u.test(character) && !newest.test(character)) yield character;
  }
  for (let code = 0x1_d400; code < 0x1_f200; code++) {
    const character = String.fromCodePoint(code);
    if (!/\p{Cn}/u.test(character)) yield character;
  }
}

describe('the database folds as the service does', () => {
  test('every character by itself', async () => {
    const all = [...characters()];
    const there = await foldedThere(all);
    const others = all.filter((character, at) => fold(character) !== there[at]);
    expect(others.map((character) => character.codePointAt(0)?.toString(16))).toEqual([]);
  });

  test.each([
    ['João GONÇALVES', 'joao goncalves'],
    ['Straße Łódź Søren Ærø Đặng ISPARTA Işık', 'strasse lodz soren aero dang isparta isik'],
    ['ΟΔΥΣΣΕΥΣ Οδυσσεύς', 'οδυσσευσ οδυσσευσ'],
    ['Ｊｏｈｎ　Ｄｏｅ ﬁn', 'john doe fin'],
    ['Ёлка Йод Київ', 'елка иод киів'],
    ['a \t\u{a0}\n\u{2003}b\u{2028}c', 'a b c'],
    [' x ', ' x '],
    ['', ''],
    ['مُحَمَّد', 'محمد'],
    ['김', '김'.normalize('NFKD')],
  ])('%j is %j', async (text, folded) => {
    expect(fold(text)).toBe(folded);
    expect(await foldedThere([text])).toEqual([folded]);
  });
});

/** Fields as a folded record has them. */
const marked = (...fields: readonly string[]) => `${['', ...fields, ''].join('Q Q')}`;

describe('each write folds', () => {
  const foldedOf = async (table: string, id: number) =>
    (await service.database.query(`SELECT folded, folded_by FROM ${table} WHERE id = $1`, [id]))[0];

  test('a contact, by what it is named, reached at and labelled', async () => {
    const { id } = await w.contact({
      full_name: 'Ana  Ávila',
      email: 'Ana@Example.com',
      phone: '+5511987654321',
      label_list: ['VIP', 'São Paulo'],
    });
    const folded = marked('ana avila', 'ana@example.com', '+5511987654321', 'vip', 'sao paulo');
    expect(await foldedOf('contacts', id)).toEqual({ folded, folded_by: 1 });
    expect(await w.rest.put(`/contacts/${id}`, { email: '', label_list: [] })).toAnswer(200);
    const changed = { folded: marked('ana avila', '+5511987654321'), folded_by: 1 };
    expect(await foldedOf('contacts', id)).toEqual(changed);
    expect(await w.rest.put(`/contacts/${id}`, { phone: 'home 12 34-5', full_name: '' })).toAnswer(
      200,
    );
    const nameless = { folded: marked('', 'home 12 34-5', '12345'), folded_by: 1 };
    expect(await foldedOf('contacts', id)).toEqual(nameless);
  });

  test('a deal, a product, a user', async () => {
    const deal = await w.deal({ name: 'Größe' });
    const product = await w.product({ name: 'Café', identifier: 'SKU Ñ' });
    const user = await w.user({ full_name: 'Zoë', email: 'zoe.folded@example.com' });
    expect(await foldedOf('deals', deal.id)).toEqual({ folded: marked('grosse'), folded_by: 1 });
    const both = { folded: marked('cafe', 'sku n'), folded_by: 1 };
    expect(await foldedOf('products', product.id)).toEqual(both);
    const mail = { folded: marked('zoe', 'zoe.folded@example.com'), folded_by: 1 };
    expect(await foldedOf('users', user.id)).toEqual(mail);
  });
});
