/** What lets users in is written by many at once, on a cluster each time on every server. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Person } from '../kit/person.ts';
import { type Service, startService } from '../kit/service.ts';
import { unique, type World, world } from '../kit/world.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** Calls that open and end ways in. */
async function callsOf(w: World): Promise<readonly (() => Promise<unknown>)[]> {
  const [one, other] = [await w.user(), await w.user()];
  const [out, ended, back] = Array.from({ length: 3 }, () => new Person(service.client));
  const issued = await w.rest.post<{ id: number }>('/tokens', { name: 'to be revoked' });
  expect(issued).toAnswer(201);
  for (const person of [out, ended]) expect(await person?.signIn(one.email)).toAnswer(201);
  const of = `account_id: ${w.accountId}`;
  const asked = await ended?.graphql<{ me: { session: { id: number } } }>(
    `{ me(${of}) { session { id } } }`,
  );
  const mutation = (each: string) => () => w.graphql.data(`mutation { ${each} }`);
  return [
    mutation(`delete_user(${of}, id: ${other.id}) { id }`),
    mutation(`delete_session(${of}, id: ${asked?.body.data?.me.session.id}) { id }`),
    mutation(`create_sign_in_link(${of}, user_id: ${w.member.id}) { url }`),
    mutation(
      `update_user(${of}, id: ${w.member.id}, input: { full_name: "${randomUUID()}" }) { id }`,
    ),
    mutation(`invite_user(${of}, input: { email: "${unique('invited')}" }) { user { id } }`),
    async () => expect(await w.rest.post('/tokens', { name: 'new' })).toAnswer(201),
    async () => expect(await w.rest.delete(`/tokens/${issued.body.id}`)).toAnswer(204),
    async () => expect(await back?.signIn(one.email)).toAnswer(201),
    async () => expect(await out?.send('DELETE', '/session')).toAnswer(204),
  ];
}

test('users come, go and change while others sign in and out, and all of it is done', async () => {
  for (let round = 0; round < 2; round += 1) {
    const calls = await callsOf(await world(service));
    await Promise.all(calls.map((call) => call()));
  }
});
