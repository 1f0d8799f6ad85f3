/** A copy of an account that was taken at any moment, and follows the feed since, is the account. */
import { expect, test } from '@jest/globals';
import { bustle } from '../kit/bustle.ts';
import { Copy, contents, pagesFor } from '../kit/copy.ts';
import { seeded } from '../kit/seeded.ts';
import { sharedService } from '../kit/service.ts';
import { until } from '../kit/wait.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();

const seed = Number(process.env['CHANGES_SEED'] ?? Date.now() % 2 ** 31);

/** Statements that the writers send, more or less. */
const statements = 600;

/** A copy for each size of pages, and when it is taken: after this part of the writing. */
const copies = [
  { limit: 1, from: 0.5 },
  { limit: 7, from: 0 },
  { limit: 1000, from: 0.2 },
];

test(`copies that follow pages of any size equal the database (CHANGES_SEED=${seed})`, async () => {
  const w = await world(service);
  const begun = service.statements.length;
  const done = () => (service.statements.length - begun) / statements;
  const belows = Array.from({ length: 12 }, (_, writer) => seeded(seed + writer));
  const following = copies.map(async ({ limit, from }) => {
    await until(
      async () => done(),
      (part) => part >= from,
      60_000,
    );
    const copy = await Copy.take(service.database, w.accountId);
    await copy.follow(pagesFor(w.rest), limit, ({ after }) => after?.name === 'The last one');
    return copy;
  });
  const { statuses } = await bustle(w, belows, () => done() >= 1);
  await w.rest.put('', { name: 'The last one' });
  const stored = await contents(service.database, w.accountId);
  for (const copy of await Promise.all(following)) expect(copy.contents).toEqual(stored);
  expect(Object.keys(statuses)).toEqual(expect.arrayContaining(['200', '201', '204']));
  expect(Object.keys(statuses).filter((status) => !/^(20[014]|404|422)$/.test(status))).toEqual([]);
});
