/** Location: where a record that was created is read. */
import { expect, test } from '@jest/globals';
import { sharedService } from '../kit/service.ts';
import { shipped } from '../kit/shared.ts';
import { type Input, unique, world } from '../kit/world.ts';

const { locationOf } =
  await shipped<typeof import('../../src/rest/location.ts')>('rest/location.js');
const { routes } = await shipped<typeof import('../../src/rest/routes.ts')>('rest/routes.js');

const service = await sharedService();
const w = await world(service);

const person = () => ({
  full_name: 'Ana',
  email: unique('located'),
  phone: '+14155550123',
  job_description: 'other',
  language: 'en',
  password: 'secret1',
  password_confirmation: 'secret1',
});

/** What creates a record of each kind. */
const creations: readonly (readonly [path: string, body: () => Promise<Input>])[] = [
  ['/contacts', async () => ({ full_name: 'Ana' })],
  ['/contacts/upsert', async () => ({ email: unique('located') })],
  ['/contacts/:contact_id/events', async () => ({ kind: 'note' })],
  ['/deals', async () => ({ stage_id: w.stageIds[0], contact_id: (await w.contact()).id })],
  ['/deals/upsert', async () => ({ stage_id: w.stageIds[0], contact_id: (await w.contact()).id })],
  ['/deals/:deal_id/events', async () => ({ kind: 'note' })],
  [
    '/deal_products',
    async () => ({ deal_id: (await w.deal()).id, product_id: (await w.product()).id }),
  ],
  ['/products', async () => ({ name: 'Located' })],
  ['/pipelines', async () => ({ name: 'Located' })],
  ['/stages', async () => ({ name: 'Located', pipeline_id: w.other.pipelineId })],
  ['/users', async () => person()],
  ['/tokens', async () => ({ name: 'Located' })],
  ['/webhooks', async () => ({ url: 'https://receiver.invalid/', events: ['*'] })],
];

const pathOf = async (path: string): Promise<string> =>
  path
    .replace(':contact_id', String((await w.contact()).id))
    .replace(':deal_id', String((await w.deal()).id));

test('these are all routes that create what can be read', () => {
  const creating = routes.filter(
    ({ operation }) => /^(create|upsert)_/.test(operation) && locationOf({ operation }),
  );
  expect(creations.map(([path]) => path).sort()).toEqual(creating.map(({ path }) => path).sort());
});

test.each(creations)('POST %s: 201 says where the record is read', async (path, body) => {
  const answer = await w.rest.post<{ id: number }>(await pathOf(path), await body());
  expect(answer.status).toBe(201);
  const { location = '' } = answer.headers;
  expect(location).toMatch(new RegExp(`^/api/v1/accounts/${w.accountId}/\\w+/${answer.body.id}$`));
  const read = await w.rest.get<{ id: number }>(location.replace(/^\/api\/v1\/accounts\/\d+/, ''));
  expect([read.status, read.body.id]).toEqual([200, answer.body.id]);
});

test.each(creations)('POST %s: so does the answer to a key, each time', async (path, body) => {
  const at = await pathOf(path);
  const sent = await body();
  const headers = { 'idempotency-key': unique('located') };
  const made = await w.rest.post<{ id: number }>(at, sent, headers);
  expect(made.status).toBe(201);
  const repeated = await w.rest.post(at, sent, headers);
  expect(made.headers.location).toMatch(new RegExp(`/\\w+/${made.body.id}$`));
  expect([repeated.text, repeated.headers.location]).toEqual([made.text, made.headers.location]);
  expect(repeated.headers['idempotent-replayed']).toBe('true');
});

test('what is not created, or cannot be read by itself, has none', async () => {
  const email = unique('located');
  const { id } = await w.contact({ email });
  const answers = [
    await w.rest.post('/contacts/upsert', { email, full_name: 'Ana' }),
    await w.rest.put(`/contacts/${id}`, { full_name: 'Bea' }),
    await w.rest.post('/deal_assignees', {
      deal_id: (await w.deal()).id,
      user_id: w.member.id,
    }),
    await w.rest.post(`/webhooks/${(await w.webhook()).id}/test`),
    await w.rest.post('/contacts', { email }),
    await w.rest.post('/contacts', { email }, { 'idempotency-key': 'refused' }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 201, 201, 422, 422]);
  for (const { headers } of answers) expect(headers).not.toHaveProperty('location');
});
