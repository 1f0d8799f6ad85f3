/**
 * Folded texts: what is the same to people who look for a name is the same text. Records are stored
 * folded by the functions `fold_text_1` and `fold_record_1` of the database, which a test compares with
 * this module; `q` and what it highlights are folded here.
 *
 * To change the table: give it the next {@link foldingVersion}, and add functions of that number, an index of
 * rows that have another one, and triggers that use them (prisma/README.md). Rows of another version are
 * folded as they are searched until the background job has brought them up to date.
 */

/** Which table a row was folded by: its `folded_by`. */
export const foldingVersion = 1;

/** Letters that no decomposition takes to their plain ones, and a small one that ends words. */
const letters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ı: 'i',
  ς: 'σ',
};

/** Code points that only change another letter, as Unicode 17 has them in the database's table. */
const marks = /\p{M}+/gu;
const plainless = /[ßæłøđıς]/g;
/**
 * Stands before and behind each field of a folded record: a letter, so that trigrams include it, and a capital one,
 * of which folded texts have none.
 */
export const fieldMark = 'Q';
/** White space that has no decomposition. */
const spaces = /[\t-\r\u0085\u1680\u2028\u2029]/gu;
const many = / {2,}/g;
const ascii = /^[\0-\x7f]*$/;

/**
 * A text as it is compared: decomposed (NFKD), in small letters, without marks, every white space one blank.
 * Blanks at its ends stay.
 */
export function fold(text: string): string {
  const plain = ascii.test(text)
    ? text.toLowerCase()
    : text
        .normalize('NFKD')
        .toLowerCase()
        .replace(marks, '')
        .replace(plainless, (letter) => letters[letter] ?? letter);
  return plain.replace(spaces, ' ').replace(many, ' ');
}
