/** Where the time of a request goes, for those who ask. */
import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { Answer } from '../kit/http.ts';
import { sharedService } from '../kit/service.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);

const timing = { prefer: 'timing' };

/** Milliseconds by what they were spent on. */
function timesOf({ headers }: Answer<unknown>): Readonly<Record<string, number>> {
  const text = String(headers['server-timing']);
  expect(text).toMatch(/^auth;dur=[\d.]+, queue;dur=[\d.]+, db;dur=[\d.]+, total;dur=[\d.]+$/);
  return Object.fromEntries(
    text.split(', ').map((part) => {
      const [name = '', ms] = part.split(';dur=');
      return [name, Number(ms)];
    }),
  );
}

test('every answer to a token says it, also a refusal, and those with a key', async () => {
  const { id } = await w.contact();
  const key = { ...timing, 'idempotency-key': randomUUID() };
  const answers = [
    await w.rest.get(`/contacts/${id}`, timing),
    await w.rest.post('/contacts/search', {}, timing),
    await w.rest.put(`/contacts/${id}`, { full_name: 'x' }, { prefer: 'handling=strict, Timing' }),
    await w.rest.post('/contacts', {}, key),
    await w.rest.post('/deals', { contact_id: id, stage_id: w.stageIds[0] }, timing),
    await service.client.send({
      method: 'POST',
      path: '/graphql',
      headers: {
        ...timing,
        authorization: `Bearer ${w.admin.token}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ query: `{ contact(account_id: ${w.accountId}, id: ${id}) { id } }` }),
    }),
  ];
  for (const answer of answers) {
    expect(answer.status).toBeLessThan(300);
    const { db = 0, total = 0 } = timesOf(answer);
    expect(db).toBeGreaterThan(0);
    expect(total).toBeGreaterThanOrEqual(db);
  }
  for (const refused of [
    await w.rest.get('/contacts/1', timing),
    await w.rest.post('/contacts', '{', timing),
    await w.restAs(w.member.token).post('/users', {}, timing),
  ]) {
    expect(refused.status).toBeGreaterThanOrEqual(400);
    timesOf(refused);
  }
});

test('nobody else is told', async () => {
  expect((await w.rest.get('/me')).headers['server-timing']).toBeUndefined();
  expect((await w.restAs(undefined).get('/me', timing)).headers['server-timing']).toBeUndefined();
  const page = await service.client.send({ method: 'GET', path: '/livez', headers: timing });
  expect(page.headers['server-timing']).toBeUndefined();
});
