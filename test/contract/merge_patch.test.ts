/** PATCH with application/merge-patch+json (RFC 7396). */
import { describe, expect, test } from '@jest/globals';
import { interleavedPatches } from '../kit/patches.ts';
import { invalid, notFound, unsupported } from '../kit/refusals.ts';
import type { Body } from '../kit/rest.ts';
import { sharedService } from '../kit/service.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);

const patch = (path: string, body: Body, type = 'application/merge-patch+json') =>
  w.rest.send<Record<string, unknown>>('PATCH', path, body, { 'content-type': type });

const had = { plan: 'free', size: { seats: 3, rooms: 1 }, tags: ['a', 'b'] };

const note = async () => {
  const { id } = await w.contact();
  const sent = { kind: 'note', title: 'A', custom_attributes: had, additional_attributes: had };
  const { body } = await w.rest.post<{ id: number }>(`/contacts/${id}/events`, sent);
  return body;
};

/** A record that has these attributes, by its resource. */
const records: Readonly<Record<string, () => Promise<{ readonly id: number }>>> = {
  contacts: () => w.contact({ custom_attributes: had }),
  products: () => w.product({ custom_attributes: had }),
  deals: () => w.deal({ custom_attributes: had }),
  events: note,
};

describe.each(Object.entries(records))('a merge patch of %s', (resource, create) => {
  const path = async () => `/${resource}/${(await create()).id}`;

  test('merges custom_attributes key by key: null removes, objects are merged, lists replaced', async () => {
    const at = await path();
    const { body: before } = await w.rest.get<Record<string, unknown>>(at);
    const custom_attributes = { plan: null, size: { seats: 4, floors: { top: 2 } }, tags: ['c'] };
    const answer = await patch(at, { custom_attributes });
    const after = {
      ...before,
      custom_attributes: { size: { seats: 4, rooms: 1, floors: { top: 2 } }, tags: ['c'] },
      updated_at: expect.any(String),
    };
    expect(answer).toAnswer(200, expect.objectContaining({ id: before.id }));
    expect((await w.rest.get(at)).body).toEqual(after);
  });

  test('that is null clears them, {} leaves them', async () => {
    const at = await path();
    expect((await patch(at, { custom_attributes: {} })).body.custom_attributes).toEqual(had);
    expect((await patch(at, { custom_attributes: null })).body.custom_attributes).toEqual({});
  });

  test('by two integrations at once loses no key', async () => {
    const { id } = await create();
    await w.rest.put(`/${resource}/${id}`, { custom_attributes: {} });
    await interleavedPatches(w.rest, `/${resource}/${id}`, 20);
  });

  test('may not make them larger than they may be', async () => {
    const at = await path();
    await patch(at, { custom_attributes: { a: 'x'.repeat(40_000) } });
    const answer = await patch(at, { custom_attributes: { b: 'x'.repeat(40_000) } });
    expect(answer).toAnswer(
      422,
      invalid({ custom_attributes: 'is too large (maximum is 65536 bytes)' }),
    );
  });

  test('as application/json replaces them whole, as does PUT', async () => {
    const at = await path();
    const replaced = { custom_attributes: { plan: null } };
    expect((await patch(at, replaced, 'application/json')).body).toMatchObject(replaced);
    expect((await patch(at, replaced, 'application/json')).body.custom_attributes).toEqual({
      plan: null,
    });
  });
});

test('a merge patch of an event merges additional_attributes, too', async () => {
  const { id } = await note();
  const additional_attributes = { plan: null, size: { rooms: null } };
  const answer = await patch(`/events/${id}`, { additional_attributes, title: 'B' });
  expect(answer.body).toMatchObject({
    title: 'B',
    custom_attributes: had,
    additional_attributes: { size: { seats: 3 }, tags: ['a', 'b'] },
  });
});

test('a merge patch merges while the deal moves and changes its status', async () => {
  const deal = await w.deal({ custom_attributes: had });
  const body = { stage_id: w.stageIds[1], status: 'won', custom_attributes: { plan: 'pro' } };
  expect((await patch(`/deals/${deal.id}`, body)).body).toMatchObject({
    stage_id: w.stageIds[1],
    status: 'won',
    custom_attributes: { ...had, plan: 'pro' },
  });
});

test('a merge patch replaces lists of labels, and null clears as it does elsewhere', async () => {
  const { id } = await w.contact({ label_list: ['a', 'b'], full_name: 'Ana' });
  const answer = await patch(`/contacts/${id}`, { label_list: ['c'], full_name: null });
  expect(answer.body).toMatchObject({ label_list: ['c'], full_name: '' });
});

test('a merge patch that changes nothing writes nothing', async () => {
  const { id } = await w.contact({ custom_attributes: had });
  const before = await w.count('audit_entries');
  const answer = await patch(`/contacts/${id}`, { custom_attributes: { plan: 'free', no: null } });
  expect(answer.body.custom_attributes).toEqual(had);
  expect(await w.count('audit_entries')).toBe(before);
});

test('a merge patch of what there is not is a 404, and one with faults names them', async () => {
  expect(await patch('/contacts/999999999', { custom_attributes: {} })).toAnswer(404, notFound);
  const { id } = await w.contact();
  expect(await patch(`/contacts/${id}`, { custom_attributes: [1] })).toAnswer(
    422,
    invalid({ custom_attributes: 'must be an object' }),
  );
});

test.each(['PUT', 'POST'])('%s takes no merge patch', async (method) => {
  const { id } = await w.contact();
  const path = method === 'PUT' ? `/contacts/${id}` : '/contacts';
  const headers = { 'content-type': 'application/merge-patch+json' };
  expect(await w.rest.send(method, path, {}, headers)).toAnswer(415, unsupported);
});

test('a PATCH of another content type is told which it takes', async () => {
  const { id } = await w.contact();
  const answer = await patch(`/contacts/${id}`, '[]', 'application/json-patch+json');
  expect(answer).toAnswer(415, unsupported);
  expect(answer.headers['accept-patch']).toBe('application/json, application/merge-patch+json');
});
