/** Texts of a single line, which are compared letter by letter: names, labels, addresses. */
import { toNfc } from '../../../lib/nfc.ts';

/** White space, marks of direction, joiners, fillers: whatever has no ink. */
const invisible = /^[\s\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/**
 * The text in the Unicode Normalization Form C, so that equal letters are equal however they were
 * typed; blank where nothing of it can be seen.
 */
export const singleLine = (text: string): string => (invisible.test(text) ? '' : toNfc(text));

/**
 * What texts have in common that differ in letter case alone. The capital sigma has two small
 * letters: what is folded has the one that stands within words.
 */
export const foldCase = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ');
