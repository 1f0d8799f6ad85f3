import { expect, test } from '@jest/globals';
import { lookMs, Watchdog } from '../../src/process/watchdog.ts';

/** A watchdog whose clock a test sets. */
function watched() {
  const clock = { ms: 1000 };
  const dog = new Watchdog<string>(() => clock.ms);
  /** Time goes by, in which the watchdog looks as often as it should. */
  const pass = (ms: number) => {
    for (let left = ms; left > 0; left -= lookMs) {
      clock.ms += Math.min(left, lookMs);
      dog.silences();
    }
  };
  return { clock, dog, pass };
}

test('silence is counted from the last sign of life, for each by itself', () => {
  const { dog, pass } = watched();
  dog.feed('one');
  pass(600);
  dog.feed('two');
  pass(1000);
  dog.feed('one');
  pass(100);
  expect(dog.silences()).toEqual([
    { who: 'one', silentMs: 100 },
    { who: 'two', silentMs: 1100 },
  ]);
});

test('who has not given a sign yet is not watched, nor who was released', () => {
  const { dog, pass } = watched();
  dog.feed('one');
  pass(10_000);
  dog.release('one');
  expect(dog.silences()).toEqual([]);
});

test('time in which the watchdog itself was stopped counts for nobody', () => {
  const { clock, dog, pass } = watched();
  dog.feed('one');
  pass(500);
  clock.ms += 3_600_000;
  expect(dog.silences()).toEqual([{ who: 'one', silentMs: 500 + 2 * lookMs }]);
  clock.ms += 3_600_000;
  dog.feed('one');
  expect(dog.silences()).toEqual([{ who: 'one', silentMs: 0 }]);
});
