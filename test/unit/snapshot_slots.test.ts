import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { type Slot, Slots } from '../../src/db/connections/snapshot_slots.ts';

/** Nobody falls behind, and nobody gives up. */
const patient = { floor: 1, lagMs: 1e6, waitMs: 1e6, lookMs: 1 };

const two = async (slots: Slots, account: number) => [
  await slots.take(account),
  await slots.take(account),
];

/** Whether a slot was given by now; until then it is waited for. */
const isGiven = (slot: Promise<Slot>) =>
  Promise.race([slot.then(() => true), turn().then(() => false)]);

describe('slots are shared out by account', () => {
  test('the last one goes to an account that has none, however many others want', async () => {
    const slots = new Slots(patient);
    await two(slots, 1);
    const first = await slots.take(2);
    const second = slots.take(2);
    expect(await isGiven(second)).toBe(false);
    expect(await isGiven(slots.take(3))).toBe(true);
    first.leave();
    expect(await isGiven(second)).toBe(true);
  });

  test('what gets free goes to whoever has fewest, and then to whoever waits longest', async () => {
    const slots = new Slots(patient);
    const [one, other] = await two(slots, 1);
    await Promise.all([slots.take(2), slots.take(3)]);
    const begun: string[] = [];
    const wait = (account: number, name: string) =>
      void slots.take(account).then(() => begun.push(name));
    wait(2, 'second of 2');
    wait(4, 'first of 4');
    wait(5, 'first of 5');
    one?.leave();
    other?.leave();
    await turn();
    expect(begun).toEqual(['first of 4', 'first of 5']);
  });

  test('an account has, or waits for, two', async () => {
    const slots = new Slots(patient);
    await two(slots, 1);
    const refusal = {
      code: 'TOO_MANY_REQUESTS',
      seconds: 30,
      messages: ['The account has 2 exports at work: wait until one of them is over'],
    };
    await expect(slots.take(1)).rejects.toMatchObject(refusal);
    await Promise.all([slots.take(2), slots.take(3)]);
    const gone = new AbortController();
    const waiting = [slots.take(4, gone.signal), slots.take(4)];
    await expect(slots.take(4)).rejects.toMatchObject(refusal);
    gone.abort();
    await expect(waiting[0]).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(await isGiven(slots.take(4))).toBe(false);
  });

  test('who waits too long is sent away', async () => {
    const slots = new Slots({ ...patient, waitMs: 1 });
    await Promise.all([1, 2, 3, 4].map((account) => slots.take(account)));
    const refused = { code: 'UNAVAILABLE', messages: ['Too many exports are running'] };
    await expect(slots.take(5)).rejects.toMatchObject(refused);
  });
});

describe('while others wait a reader', () => {
  const hasty = { floor: 1000, lagMs: 20, waitMs: 2000, lookMs: 1 };

  /** Four accounts have a slot each; which of them lost it. */
  const full = async (slots: Slots) => {
    const taken = await Promise.all([1, 2, 3, 4].map((account) => slots.take(account)));
    const lost: number[] = [];
    for (const [at, slot] of taken.entries()) slot.onLoss(() => void lost.push(at));
    return { taken, lost };
  };

  test('that has fallen behind loses its slot, and one that PostgreSQL keeps waiting does not', async () => {
    const slots = new Slots(hasty);
    const { taken, lost } = await full(slots);
    taken[1]?.give(5);
    taken[2]?.give(5);
    taken[2]?.ask();
    const { account } = await slots.take(5);
    expect([account, lost]).toEqual([5, [1]]);
  });

  test('that keeps pace does not', async () => {
    const slots = new Slots({ ...hasty, lagMs: 200, waitMs: 400 });
    const { taken, lost } = await full(slots);
    const reading = setInterval(() => {
      for (const slot of taken) {
        slot.ask();
        slot.give(100);
      }
    }, 1);
    await expect(slots.take(5)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    clearInterval(reading);
    expect(lost).toEqual([]);
  });

  test('loses nothing to another export of an account that has one', async () => {
    const slots = new Slots({ ...hasty, waitMs: 100 });
    const { taken, lost } = await full(slots);
    for (const slot of taken) slot.give(1);
    await expect(slots.take(1)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(lost).toEqual([]);
  });
});
