/** Letters that are the same however they are written. */
import { expect, test } from '@jest/globals';
import { sharedService } from '../kit/service.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);

const found = async (query: object) => {
  const { body } = await w.rest.post<{ data: { id: number }[] }>('/contacts/search', { query });
  return body.data.map(({ id }) => id);
};

test('a search finds either small letter of Σ, wherever it stands', async () => {
  const names = ['ΚΩΣΤΑΣ ΠΑΠΑΣ', 'κωστας παπας', 'κωστασ παπασ'];
  const ids: number[] = [];
  for (const name of names) {
    ids.push((await w.contact({ full_name: name, label_list: [name] })).id);
  }
  const { id: other } = await w.contact({ full_name: 'κωτα', label_list: ['other'] });
  for (const part of ['ΚΩΣΤΑΣ', 'κωστας', 'κωστασ', 'σ', 'ς']) {
    expect(await found({ full_name_cont: part })).toEqual(ids);
    expect(await found({ full_name_or_email_i_cont: part })).toEqual(ids);
    expect(await found({ full_name_cont_any: [part, 'nobody'] })).toEqual(ids);
    expect(await found({ label_list_cont: part })).toEqual(ids);
    expect(await found({ full_name_not_cont: part })).not.toEqual(expect.arrayContaining(ids));
    expect(await found({ full_name_not_cont: part, id_eq: other })).toEqual([other]);
  }
  expect(await found({ full_name_start: 'ΚΩΣ' })).toEqual(ids);
  expect(await found({ full_name_end: 'ΑΣ' })).toEqual(ids);
  expect(await found({ full_name_end: 'ς' })).toEqual(ids);
  expect(await found({ full_name_matches: '%Σ_ΑΣ%' })).toEqual(ids);
  expect(await found({ full_name_matches: 'κω\\_σ%' })).toEqual([]);
  expect(await found({ full_name_cont: `${'x'.repeat(600)}Σ` })).toEqual([]);
});

test.each(['.', '*', '+', '?', '(', ')', '[', ']', '{', '}', '|', '\\', '^', '$', '%', '_', '&'])(
  'beside a Σ, %j stands for itself',
  async (sign) => {
    const { id } = await w.contact({ full_name: `x${sign}ς` });
    await w.contact({ full_name: 'xyς' });
    expect(await found({ full_name_cont: `x${sign}Σ` })).toEqual([id]);
  },
);

test('a search finds a letter with marks, composed or not, in texts of many lines', async () => {
  const decomposed = 'Zoe\u0308\nMuñoz'.normalize('NFD');
  const composed = decomposed.normalize('NFC');
  const product = await w.product({ description: decomposed });
  const deal = await w.deal({ status: 'lost', lost_reason: decomposed });
  const idsOf = async (path: string, query: object) => {
    const { body } = await w.rest.post<{ data: { id: number }[] }>(`${path}/search`, { query });
    return body.data.map(({ id }) => id);
  };
  for (const sent of [decomposed, composed]) {
    expect(await idsOf('/products', { description_cont: sent })).toEqual([product.id]);
    expect(await idsOf('/products', { description_eq: sent })).toEqual([product.id]);
    expect(await idsOf('/deals', { lost_reason_cont: sent })).toEqual([deal.id]);
  }
});

test('a search finds a letter with marks, composed or not, in names, labels and attributes', async () => {
  const decomposed = 'Zoe\u0308 Muñoz'.normalize('NFD');
  const { id } = await w.contact({
    full_name: decomposed,
    label_list: [decomposed],
    custom_attributes: { nick: decomposed },
  });
  for (const sent of [decomposed, decomposed.normalize('NFC')]) {
    expect(await found({ full_name_eq: sent })).toEqual([id]);
    expect(await found({ full_name_cont: sent })).toEqual([id]);
    expect(await found({ label_list_eq: sent })).toEqual([id]);
    expect(await found({ label_list_in: [sent] })).toEqual([id]);
    expect(await found({ 'custom_attributes.nick_eq': sent })).toEqual([id]);
    expect(await found({ 'custom_attributes.nick_cont': sent })).toEqual([id]);
  }
});
