/** The dispatchers of deliveries through days of trouble, on simulated time. */
import { expect, test } from '@jest/globals';
import type { DeliveryClaim } from '../../src/delivery/claims.ts';
import { sample } from '../kit/sample.ts';
import { simulate } from '../simulation/simulation.ts';
import { Tables } from '../simulation/tables.ts';

const seeds = sample(
  Array.from({ length: 80 }, (_, n) => 1 + n),
  4,
);

test('in five days nothing is lost or sent twice, and who is well does not wait for who is not', async () => {
  const faults: string[] = [];
  let attempts = 0;
  for (const seed of seeds) {
    const outcome = await simulate(seed);
    faults.push(...outcome.faults.map((fault) => `SIMULATE_SEED=${seed} ${fault}`));
    attempts += outcome.attempts;
  }
  expect(faults).toEqual([]);
  expect(attempts).toBeGreaterThan(10 * seeds.length);
}, 60_000);

test('a seed brings about the same again, to the byte', async () => {
  for (const seed of [1, 2, 3]) {
    const [one, other] = [
      await simulate(seed, { isTraced: true }),
      await simulate(seed, { isTraced: true }),
    ];
    expect(other).toEqual(one);
    expect(one.trace.length).toBeGreaterThan(100);
  }
});

/** Faults of the first seed that has some. */
async function faultsWith(tables: () => Tables): Promise<readonly string[]> {
  for (const seed of seeds) {
    const { faults } = await simulate(seed, { tables: tables() });
    if (faults.length > 0) return faults;
  }
  return [];
}

/** As if the statement did not put off what it claims. */
class WithoutLease extends Tables {
  override claim(now: number, webhookId: number, max: number): DeliveryClaim[] {
    const claimed = super.claim(now, webhookId, max);
    for (const { id } of claimed) this.release(now, [id]);
    return claimed;
  }
}

/** As if what was claimed once belonged to its process for good. */
class WithoutEnd extends Tables {
  override claim(now: number, webhookId: number, max: number): DeliveryClaim[] {
    const claimed = super.claim(now, webhookId, max);
    for (const { id } of claimed) {
      const one = this.deliveries[id - 1];
      if (one) one.due = now + 10 * 86_400_000;
    }
    return claimed;
  }
}

test('a simulation notices claims that others may take at once, or nobody ever', async () => {
  expect((await faultsWith(() => new WithoutLease()))[0]).toMatch(
    /two send at once|sent again|sent although/,
  );
  expect((await faultsWith(() => new WithoutEnd()))[0]).toMatch(/never came|is lost|pending/);
}, 60_000);
