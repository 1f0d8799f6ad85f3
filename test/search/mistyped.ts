/** Names as people type them who make an error. */

/** A name in plain small letters. */
export const plainly = (name: string): string =>
  name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

/** One letter left out, doubled, exchanged with the next, or replaced by another of the name. */
const errors: readonly ((letters: readonly string[], at: number) => readonly string[])[] = [
  (letters, at) => letters.toSpliced(at, 1),
  (letters, at) => letters.toSpliced(at, 0, letters[at] ?? ''),
  (letters, at) => letters.toSpliced(at, 2, letters[at + 1] ?? '', letters[at] ?? ''),
  (letters, at) => letters.toSpliced(at, 1, letters.find((one) => one !== letters[at]) ?? ''),
];

/** A name with one error in its longest word. */
export function mistyped(name: string, below: (limit: number) => number): string {
  const words = plainly(name).split(' ');
  const longest = words.reduce((one, other) => (other.length > one.length ? other : one));
  const letters = [...longest];
  const at = below(letters.length - 1);
  const wrong = errors[below(errors.length)]?.(letters, at).join('') ?? longest;
  return words.map((word) => (word === longest ? wrong : word)).join(' ');
}
