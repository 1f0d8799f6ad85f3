/** A large contact comes back, and one that many want to have. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Service, startService } from '../kit/service.ts';
import { unique, world } from '../kit/world.ts';
import { large } from '../undo/large.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

test('a contact with 400 deals and 5,000 events is back to the byte, by REST, GraphQL and export', async () => {
  const { before, after } = await large(await world(service), 400, 5_000);
  expect(before.at(-1)).toContain('"events_count":');
  expect(before.join().length).toBeGreaterThan(1_000_000);
  for (const [at, text] of after.entries()) expect(text).toBe(before[at]);
}, 60_000);

test('of twenty restores and twenty creations of the same e-mail at once one wins', async () => {
  const w = await world(service);
  const email = unique('won');
  const { id } = await w.contact({ email });
  await w.rest.delete(`/contacts/${id}`);
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      n % 2 ? w.rest.post(`/contacts/${id}/restore`) : w.rest.post('/contacts', { email }),
    ),
  );
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status < 300)).toHaveLength(1);
  // A busy machine may have no time for all of them.
  expect(statuses.filter((status) => status >= 300 && ![422, 503].includes(status))).toEqual([]);
  const { body } = await w.rest.post<{ data: unknown[] }>('/contacts/search', {
    query: { email_eq: email },
  });
  expect(body.data).toHaveLength(1);
}, 60_000);
