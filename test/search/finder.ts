/** What `q` finds, said a second time: in memory, letter by letter, and without an index. */

export interface Findable {
  readonly id: number;
  readonly fields: readonly string[];
}

const same: Readonly<Record<string, string>> = {
  ß: 'ss',
  ł: 'l',
  ø: 'o',
  æ: 'ae',
  đ: 'd',
  ı: 'i',
  ς: 'σ',
};

/** One letter after the other, as Unicode's database has it. */
export const plain = (text: string): string =>
  [...text.normalize('NFKD')]
    .filter((letter) => !/\p{M}/u.test(letter))
    .map((letter) => letter.toLowerCase().normalize('NFKD'))
    .flatMap((letters) => [...letters].filter((letter) => !/\p{M}/u.test(letter)))
    .map((letter) => same[letter] ?? letter)
    .join('');

export const wordsIn = (text: string): readonly string[] =>
  plain(text)
    .split(/\p{White_Space}+/u)
    .filter((word) => word !== '');

/** The ids of all that has every word, the best first. */
export function finds(q: string, records: readonly Findable[]): readonly number[] {
  const words = wordsIn(q);
  const typed = words.join(' ');
  const digits = words.filter((word) => /^\d+$/.test(word));
  const others = words.filter((word) => !/^\d+$/.test(word));
  const found: { id: number; rank: number }[] = [];
  for (const { id, fields } of records) {
    const texts = fields.map((field) => wordsIn(field).join(' '));
    const has = (word: string) => texts.some((text) => text.includes(word));
    const isThere = words.every(has);
    const isJoined = digits.length > 1 && others.every(has) && has(digits.join(''));
    if (!isThere && !isJoined) continue;
    const begins = (word: string) =>
      texts.some((text) => text.split(' ').some((one) => one.startsWith(word)));
    const rank = texts.includes(typed)
      ? 1
      : texts.some((text) => text.startsWith(typed))
        ? 2
        : words.every(begins)
          ? 3
          : 4;
    found.push({ id, rank });
  }
  return found.sort((one, other) => one.rank - other.rank || one.id - other.id).map(({ id }) => id);
}
