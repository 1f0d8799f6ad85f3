/** Contacts that are one person become one, and the others are still found by what they had. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { invalidFields } from '../kit/refusals.ts';
import { sharedService } from '../kit/service.ts';
import { unique, type World, world } from '../kit/world.ts';
import { followed, revert } from '../undo/revert.ts';

const service = await sharedService();
let w: World;
beforeEach(async () => {
  w = await world(service);
});

type Body = Readonly<Record<string, unknown>>;
const merge = (into: number, body: Body, headers = {}) =>
  w.rest.post<Body & { deals: { id: number }[] }>(`/contacts/${into}/merge`, body, headers);

test('blank fields are filled in order, labels and attributes united, and all that refers moves', async () => {
  const one = await w.contact({ full_name: 'Ana', label_list: ['a'], custom_attributes: { x: 1 } });
  const two = await w.contact({
    ...{ full_name: 'A. Lima', email: unique('two'), label_list: ['A', 'b'] },
    custom_attributes: { x: 2, y: 12345678901234 },
  });
  const three = await w.contact({ email: unique('three'), phone: '+14155550111' });
  const [first, last] = [
    await w.deal({ contact_id: two.id }),
    await w.deal({ contact_id: three.id }),
  ];
  await w.rest.post(`/contacts/${two.id}/events`, { kind: 'note', content: 'x' });
  const answer = await followed(w, () => merge(one.id, { from: [two.id, three.id] }));
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({
    ...{ id: one.id, full_name: 'Ana', email: two.email, phone: '+14155550111' },
    ...{ label_list: ['a', 'b'], custom_attributes: { x: 1, y: 12345678901234 } },
  });
  expect(answer.body.deals.map(({ id }) => id)).toEqual([first.id, last.id]);
  expect((await w.rest.get(`/contacts/${one.id}`)).text).toBe(answer.text);
  for (const { id } of [two, three]) {
    const gone = await w.rest.get<Body>(`/contacts/${id}`);
    expect([gone.status, gone.body.merged_into]).toEqual([404, one.id]);
  }
});

test('united attributes keep what was sent to the letter: numbers, and the order of keys', async () => {
  const contactOf = async (attributes: string) =>
    (await w.rest.post<{ id: number }>('/contacts', `{"custom_attributes": ${attributes}}`)).body
      .id;
  const one = await contactOf('{"10": 1.50, "a": {"b": 9007199254740993}}');
  const two = await contactOf('{"z": 12345678901234567890, "10": 2, "2": [1.0, {"c": 1e3}]}');
  const three = await contactOf('{"2": 0, "y": -0.0}');
  const { text } = await merge(one, { from: [two, three] });
  expect(text).toContain(
    '"custom_attributes":{"10":1.50,"a":{"b":9007199254740993},"z":12345678901234567890,"2":[1.0,{"c":1e3}],"y":-0.0}',
  );
});

test('attributes to which a merge adds nothing stay as they were written', async () => {
  const one = await w.rest.post<{ id: number }>('/contacts', '{"custom_attributes": { "a" : 1 }}');
  const two = await w.contact({ custom_attributes: { a: 2 } });
  expect((await merge(one.body.id, { from: [two.id] })).text).toContain(
    '"custom_attributes":{ "a" : 1 }',
  );
});

test('prefer names whose value counts', async () => {
  const one = await w.contact({
    full_name: 'Ana',
    email: unique('one'),
    custom_attributes: { x: 1 },
  });
  const two = await w.contact({
    full_name: 'A. Lima',
    email: unique('two'),
    custom_attributes: { x: 2 },
  });
  const prefer = { full_name: two.id, email: two.id, custom_attributes: two.id };
  expect((await merge(one.id, { from: [two.id], prefer })).body).toMatchObject({
    ...{ full_name: 'A. Lima', email: two.email, custom_attributes: { x: 2 } },
  });
  const { status, body } = await w.rest.post<Body>('/contacts/upsert', { email: one.email });
  expect([status, body.id, body.email]).toEqual([200, one.id, two.email]);
});

describe('an upsert by a merged e-mail or phone finds the contact that is left', () => {
  test('alone, by GraphQL, in a batch and through a deal, and leaves its own as they are', async () => {
    const email = unique('gone');
    const one = await w.contact({ full_name: 'Ana', email: unique('one') });
    const two = await w.contact({ email, phone: '+14155550122' });
    await merge(one.id, { from: [two.id], prefer: { phone: one.id } });
    const alone = await w.rest.post<Body>('/contacts/upsert', { email, full_name: 'Bo' });
    expect([alone.status, alone.body]).toMatchObject([
      200,
      { id: one.id, full_name: 'Bo', email: one.email },
    ]);
    const query = `mutation($a: Integer!, $e: Text!) {
      upsert_contact(account_id: $a, input: {email: $e, full_name: "Di"}) { created contact { id } } }`;
    expect(await w.graphql.data(query, { a: w.accountId, e: email })).toEqual({
      upsert_contact: { created: false, contact: { id: one.id } },
    });
    const batch = await w.rest.post<{ results: Body[] }>('/contacts/batch', {
      ...{ operation: 'upsert', records: [{ phone: '+14155550122' }, { email, full_name: 'Cy' }] },
    });
    expect(batch.body.results).toEqual([
      { index: 0, status: 200, id: one.id },
      { index: 1, status: 200, id: one.id },
    ]);
    const deal = { stage_id: w.stageIds[0], contact_attributes: { email } };
    expect((await w.rest.post<Body>('/deals/upsert', deal)).body.contact_id).toBe(one.id);
    const deals = { operation: 'upsert', records: [{ ...deal, name: 'x' }] };
    expect(
      (await w.rest.post<{ results: Body[] }>('/deals/batch', deals)).body.results,
    ).toMatchObject([{ status: 200 }]);
    expect((await w.fetchContact(one.id)).full_name).toBe('Cy');
  });

  test('until somebody else is given it', async () => {
    const email = unique('gone');
    const [one, two] = [await w.contact({ email: unique('one') }), await w.contact({ email })];
    await merge(one.id, { from: [two.id] });
    const other = await w.contact({ email });
    expect((await w.rest.post<Body>('/contacts/upsert', { email })).body.id).toBe(other.id);
  });
});

test('a chain of merges leads to the contact that exists today', async () => {
  const [one, two, three] = [await w.contact(), await w.contact(), await w.contact()];
  await merge(two.id, { from: [one.id] });
  await merge(three.id, { from: [two.id] });
  expect((await w.rest.get<Body>(`/contacts/${one.id}`)).body.merged_into).toBe(three.id);
});

test('it is taken back by its request', async () => {
  const one = await w.contact({ full_name: 'Ana' });
  const two = await w.contact({ full_name: 'A. Lima', email: unique('two'), label_list: ['b'] });
  const deal = await w.deal({ contact_id: two.id });
  const before = [await w.rest.get(`/contacts/${two.id}`), await w.rest.get(`/contacts/${one.id}`)];
  await merge(one.id, { from: [two.id] }, { 'x-request-id': 'merged' });
  const { conflicts } = await followed(w, () => revert(w, { request_id: 'merged' }));
  expect(conflicts).toEqual([]);
  const loose = (text: string) => text.replace(/"updated_at":"[^"]+"/g, '');
  expect(loose((await w.rest.get(`/contacts/${two.id}`)).text)).toBe(loose(before[0]?.text ?? ''));
  expect(loose((await w.rest.get(`/contacts/${one.id}`)).text)).toBe(loose(before[1]?.text ?? ''));
  expect((await w.fetchDeal(deal.id)).contact_id).toBe(two.id);
});

test('of a chain, what had led to the contact that is back leads to it again', async () => {
  const email = unique('one');
  const one = await w.contact({ email });
  const [two, three] = [await w.contact({ email: unique('two') }), await w.contact()];
  await merge(two.id, { from: [one.id] });
  await merge(three.id, { from: [two.id] }, { 'x-request-id': 'second' });
  await revert(w, { request_id: 'second' });
  expect((await w.rest.get<Body>(`/contacts/${one.id}`)).body.merged_into).toBe(two.id);
  expect((await w.rest.post<Body>('/contacts/upsert', { email })).body.id).toBe(two.id);
});

test('a contact that is removed and comes back is found by what it was found by before', async () => {
  const email = unique('two');
  const [one, two] = [await w.contact(), await w.contact({ email, full_name: 'Bo' })];
  await merge(one.id, { from: [two.id], prefer: { email: one.id } });
  await w.rest.delete(`/contacts/${one.id}`);
  const gone = await w.rest.get<Body>(`/contacts/${two.id}`);
  expect([gone.status, gone.body.merged_into]).toEqual([404, undefined]);
  await w.rest.post(`/contacts/${one.id}/restore`);
  expect((await w.rest.get<Body>(`/contacts/${two.id}`)).body.merged_into).toBe(one.id);
  expect((await w.rest.post<Body>('/contacts/upsert', { email })).body.id).toBe(one.id);
});

test('a contact that got its e-mail back is not found by it once it has another', async () => {
  const email = unique('own');
  const [one, two] = [await w.contact({ email }), await w.contact({ email: unique('two') })];
  const prefer = { email: two.id };
  await merge(one.id, { from: [two.id], prefer }, { 'x-request-id': 'preferred' });
  await revert(w, { request_id: 'preferred' });
  await w.rest.put(`/contacts/${one.id}`, { email: unique('new') });
  expect((await w.rest.post('/contacts/upsert', { email })).status).toBe(201);
});

test('what is wrong is named', async () => {
  const { id } = await w.contact();
  const other = await w.contact();
  const stranger = await (await world(service)).contact();
  for (const from of [undefined, [], [id], [other.id, other.id], [stranger.id], ['x'], 'x']) {
    expect(await merge(id, { from })).toAnswer(422, invalidFields('from'));
  }
  const prefer = { nope: id, email: stranger.id };
  expect(await merge(id, { from: [other.id], prefer })).toAnswer(
    422,
    invalidFields('prefer.nope', 'prefer.email'),
  );
  expect((await merge(999_999_999, { from: [other.id] })).status).toBe(404);
  expect((await w.rest.get(`/contacts/${other.id}`)).status).toBe(200);
});

test('merges of overlapping sets at once lose no deal', async () => {
  const people = await Promise.all(Array.from({ length: 8 }, () => w.contact()));
  const deals = await Promise.all(people.map(({ id }) => w.deal({ contact_id: id })));
  const answers = await Promise.all(
    people.map(({ id }, at) =>
      merge(id, { from: [people[(at + 1) % 8]?.id, people[(at + 3) % 8]?.id] }),
    ),
  );
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => ![200, 404, 422].includes(status))).toEqual([]);
  expect(statuses).toContain(200);
  for (const { id } of deals) {
    const { contact_id } = await w.fetchDeal(id);
    expect((await w.rest.get(`/contacts/${contact_id}`)).status).toBe(200);
  }
});

test('a token must be allowed to write contacts and deals', async () => {
  const [one, two] = [await w.contact(), await w.contact()];
  for (const scope of ['contacts:write', 'deals:write']) {
    const { body } = await w.rest.post<{ access_token: string }>('/tokens', {
      ...{ name: 'x', scopes: [scope] },
    });
    const rest = w.restAs(body.access_token);
    expect((await rest.post(`/contacts/${one.id}/merge`, { from: [two.id] })).status).toBe(403);
  }
});
