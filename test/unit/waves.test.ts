import { expect, test } from '@jest/globals';
import type { Outcome } from '../../src/resources/kernel/batch/verb.ts';
import { inConflictFreeRounds } from '../../src/resources/kernel/batch/waves.ts';

/**
 * Writes letters, each of which touches itself; what was written, wave by wave, and how often was
 * planned.
 */
async function waves(letters: string) {
  const written: string[] = [];
  let plans = 0;
  const outcomes = await inConflictFreeRounds([...[...letters].entries()], {
    look: async () => undefined,
    plan: ([id, letter]) => {
      plans += 1;
      const refused: Outcome = { status: 204, id };
      return letter === '-'
        ? { outcome: refused, touches: ['a'] }
        : { write: [id, letter], touches: [String(letter)] };
    },
    write: async (wave) => {
      written.push(wave.map(([, letter]) => letter).join(''));
      return wave.map(([id]) => ({ status: 200, id: Number(id) }));
    },
  });
  return { written, plans, ids: outcomes.map((outcome) => 'id' in outcome && outcome.id) };
}

test('records are written together unless they touch what others before them touch', async () => {
  const { written, ids } = await waves('abacab');
  expect(written).toEqual(['abc', 'ab', 'a']);
  expect(ids).toEqual([0, 1, 2, 3, 4, 5]);
});

test('what waits holds those up that touch the same, and what writes nothing holds up none', async () => {
  expect((await waves('-a-b-')).written).toEqual(['ab', '']);
});

test('many that touch the same are not planned again and again', async () => {
  const { written, plans } = await waves('a'.repeat(500));
  expect(written).toHaveLength(500);
  expect(plans).toBeLessThan(5 * 500);
});

test('what shares its order waits behind what waits', async () => {
  const written: string[] = [];
  const outcomes = await inConflictFreeRounds(['a1', 'a2', 'b1', 'c'], {
    look: async () => undefined,
    plan: (name) => {
      const [touched = ''] = name;
      return { write: name, touches: [touched], shares: name === 'c' ? [] : ['places'] };
    },
    write: async (wave) => {
      written.push(wave.join());
      return wave.map(() => ({ status: 200, id: 1 }));
    },
  });
  expect([written, outcomes.length]).toEqual([['a1,c', 'a2,b1'], 4]);
});
