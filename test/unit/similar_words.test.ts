/** What stands for mistyped words where an account has very many that are like them. */
import { describe, expect, test } from '@jest/globals';
import { Portions } from '../../src/lib/portions.ts';
import type { Words } from '../../src/search/search.ts';
import { loosened } from '../../src/search/similar.ts';
import { readWords } from '../../src/search/words.ts';

const textOf = (text: string) => ({ text, indexed: text });

test('few words stand for one, the most similar first', async () => {
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  const farther = letters.flatMap((one) => letters.map((other) => `k${one}rtoff${other}lt`));
  const words = { all: ['kartoffeln'], phrase: 'kartoffeln', others: [], numbers: [] };
  const { loose } = await loosened(
    words,
    [textOf(farther.join(' '))],
    2,
    undefined,
    new Portions(1),
  );
  const [first] = loose ?? [];
  const standing = first && 'words' in first ? first.words : [];
  expect(standing.slice(0, 2)).toEqual(['kartoffeln', 'kartoffelt']);
  expect(standing).toHaveLength(33);
});

describe('what is looked for once more where nothing was found', () => {
  const patterns = async (q: string, texts: readonly string[]) => {
    const words = readWords(q);
    if (!words || !('all' in words)) throw new Error('nothing was typed');
    const of = (before?: Words) => loosened(words, texts.map(textOf), 2, before, new Portions(1));
    const before = await of();
    const listsOf = ({ loose = [] }: Words) =>
      loose.map((one) => ('patterns' in one ? one.patterns : one.words));
    return { first: listsOf(before), next: listsOf(await of(before)) };
  };

  test('is the word that the first records have not, though another is as long', async () => {
    const { first, next } = await patterns('vinicius haxeganu', ['Q Qvinicius silvaQ Q']);
    expect([first[0], first[1]?.[0]]).toEqual([['vinicius', 'vinicius'], '%haxeganu%']);
    expect(next.map(([word]) => word)).toEqual(['%haxeganu%']);
  });

  test('is not what was looked for already', async () => {
    const { first, next } = await patterns('haxeganu', ['Q Qjuan silvaQ Q']);
    expect(next[0]?.filter((pattern) => first[0]?.includes(pattern))).toEqual(['%haxeganu%']);
    expect(next[0]).toContain('%hax%g%nu%');
  });

  test('begins as it was typed where its letters are in one of the first', async () => {
    const { next } = await patterns('haxeganu', ['Q Qmanuel silvaQ Q']);
    const among = ['%hax%g%nu%', '%ha%e%anu%', '% ha%e%anu%', '%Qha%e%anu%', '%ha%eg%nu%'];
    expect(among.filter((pattern) => next[0]?.includes(pattern))).toEqual([
      '%hax%g%nu%',
      '% ha%e%anu%',
      '%Qha%e%anu%',
    ]);
  });

  test('begins so where an index has them of another field, by which nothing is like it', async () => {
    const words = { all: ['haxeganu'], phrase: 'haxeganu', others: [], numbers: [] };
    const first = [{ text: 'Q Qana silvaQ Q', indexed: 'Q Qana silvaQ Qana@manu.comQ Q' }];
    const before = await loosened(words, first, 2, undefined, new Portions(1));
    const { loose } = await loosened(words, first, 2, before, new Portions(1));
    const [next] = loose ?? [];
    const patterns = next && 'patterns' in next ? next.patterns : [];
    expect(patterns).toContain('% ha%e%anu%');
    expect(patterns).not.toContain('%ha%e%anu%');
  });

  test('does not begin as many fields do to an index, which has capital letters for small ones', async () => {
    const one = (label: string) => `Q Qana silvaQ Qana@example.comQ QQ Q${label}Q Q`;
    const { next } = await patterns('qemomoka', [one('evento'), one('evento'), one('evento')]);
    expect(next[0]).toContain('%Qqe%om%ka%');
    expect(next[0]).not.toContain('% qe%om%ka%');
  });
});
