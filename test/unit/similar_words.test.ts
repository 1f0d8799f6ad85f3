/** What stands for mistyped words where an account has very many that are like them. */
import { expect, test } from '@jest/globals';
import { Portions } from '../../src/lib/portions.ts';
import { loosened } from '../../src/search/similar.ts';

test('few words stand for one, the most similar first', async () => {
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  const farther = letters.flatMap((one) => letters.map((other) => `k${one}rtoff${other}lt`));
  const words = { all: ['kartoffeln'], phrase: 'kartoffeln', others: [], numbers: [] };
  const { loose } = await loosened(words, [farther.join(' ')], 2, false, new Portions(1));
  const [first] = loose ?? [];
  const standing = first && 'words' in first ? first.words : [];
  expect(standing.slice(0, 2)).toEqual(['kartoffeln', 'kartoffelt']);
  expect(standing).toHaveLength(33);
});
