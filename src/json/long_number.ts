/** A JSON number that JavaScript might alter, kept as it was written. */
export class LongNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** The number, where JavaScript has it: `1.00000000000000000` is, `9007199254740993` is not. */
  exact(): number | undefined {
    const number = Number(this.text);
    if (!Number.isFinite(number)) return undefined;
    return canonical(String(number)) === canonical(this.text) ? number : undefined;
  }
}

/** Digits and exponent, the same for every way of writing one number. */
function canonical(token: string): string {
  const [mantissa = '', exponent = '0'] = token.toLowerCase().replace(/^-/, '').split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  // Not by a regular expression: one anchored at the end starts over at every zero.
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  const significant = digits.slice(0, end);
  if (significant === '') return '0';
  return `${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}

/** Digits that any number keeps, within a hundred powers of ten. */
const digits = 15;

/** Whether a number that is written between two places is one that JavaScript keeps for certain. */
export function isShort(text: string, start: number, end: number): boolean {
  if (end - start > digits) return false;
  for (let at = end - 1; at > start; at--) {
    if (text.charCodeAt(at) <= 57) continue;
    const signed = text.charCodeAt(at + 1) < 48;
    return end - at <= (signed ? 4 : 3);
  }
  return true;
}
