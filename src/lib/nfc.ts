/** Texts in the form in which equal letters are equal however they were typed. */

/** More marks in a row than any writing has; UAX 15 (section 13) allows as many in streams. */
const excessive = /\p{M}{31}/u;

/** Nothing of ASCII has another form, and most texts hold nothing else. */
const beyondAscii = /[^ -~]/;

/**
 * The text in the Unicode Normalization Form C (UAX 15); as it is where more than 30 marks follow one
 * another, for putting those in their order takes a time that grows with the square of their number.
 */
export const toNfc = (text: string): string =>
  !beyondAscii.test(text) || excessive.test(text) ? text : text.normalize('NFC');
