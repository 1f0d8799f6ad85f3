/** How many hashes a sign-in takes, which are what it costs, and what could tell who has an account. */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { ConcurrencyLimit } from '../../src/lib/concurrency_limit.ts';
import { Person } from '../kit/person.ts';
import { type Service, startService } from '../kit/service.ts';
import { unique, type World, world } from '../kit/world.ts';

let hashes = 0;
jest.unstable_mockModule('../../src/lib/concurrency_limit.ts', () => ({
  ConcurrencyLimit: class<Asker> extends ConcurrencyLimit<Asker> {
    // Of hashes any number may wait, of attempts not.
    readonly #isOfHashes: boolean;

    constructor(...given: ConstructorParameters<typeof ConcurrencyLimit>) {
      super(...given);
      this.#isOfHashes = given[1] === undefined;
    }

    override run<T>(who: Asker, work: () => Promise<T>): Promise<T> {
      if (this.#isOfHashes) hashes += 1;
      return super.run(who, work);
    }
  },
}));
const { startApp } = await import('../../src/app/app.ts');

let service: Service;
let w: World;
beforeAll(async () => {
  service = await startService({ startApp });
  w = await world(service);
});
afterAll(() => service.close());

/** The status of a sign-in with a wrong password, and how many hashes it took. */
async function outcomeOf(email: string): Promise<readonly [status: number, hashes: number]> {
  hashes = 0;
  const { status } = await new Person(service.client).signIn(email, 'wrong');
  return [status, hashes];
}

test('an address that nobody has takes as many hashes as a wrong password, and a client that is refused none', async () => {
  const { email } = await w.user();
  expect(await outcomeOf(email)).toEqual([401, 1]);
  expect(await outcomeOf(unique('nobody'))).toEqual([401, 1]);
  // One without a password, such as somebody who is invited.
  expect(await outcomeOf(w.admin.email)).toEqual([401, 1]);
  for (let attempt = 2; attempt <= 10; attempt += 1) await outcomeOf(email);
  expect(await outcomeOf(email)).toEqual([429, 0]);
});
