/** Amounts of money as people and spreadsheets write them. */

/** What an amount is in cents, as decimal digits, or why it is none. */
export type Cents = { readonly value: string } | { readonly fault: string };

/** What stands before the digits, the digits with all that divides them, and what stands behind. */
const divided = /^(\D*)(\d(?:.*\d)?)(\D*)$/s;

/** Digits, groups of three of them or, as in India, lakhs and crores; then decimals. */
const number =
  /^(?<units>\d+|[1-9]\d{0,2}(?:[.,'’ \u00a0\u2009\u202f]\d{3})+|[1-9]\d?(?:,\d{2})+,\d{3})(?:(?<point>[.,])(?<fraction>\d{1,2}))?$/;

/** One group or three decimals. A number that begins with 0 has no groups, and three decimals are no cents. */
const ambiguous = /^[1-9]\d{0,2}[.,]\d{3}$/;

const codes: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** Dollars by their country. `M$` and `B$` are not among them, because they may stand for millions. */
const dollars = /^(?:AU?|BR|CA?|CL|CO|HK|MX|NT|NZ|RD?|SG?|US?)?\$$/;

/** Signs that are letters. `K` and `L` are not among them: a thousand and a lakh are written so. */
const lettered: ReadonlySet<string> = new Set(
  'bs din fr ft kč kn kr lei r rm rp rs s/ sfr tl zł грн дин ден лв р руб'.split(' '),
);

const isCurrency = (sign: string): boolean =>
  /^\p{Sc}$/u.test(sign) ||
  dollars.test(sign) ||
  codes.has(sign.toUpperCase()) ||
  lettered.has(sign.toLowerCase().replace(/\.$/, ''));

const signsIn = (text: string): readonly string[] => text.split(/\s+/).filter(Boolean);

/**
 * Reads units such as `R$ 1.234,56`, `1,234.56 USD`, `1’234.50` or `₹ 1,23,456.78`: digits, one kind of
 * divider between groups, at most two decimals, and a currency. It never guesses: what might also be another
 * amount is a fault.
 */
export function centsOf(text: string): Cents {
  const [, before = '', digits = '', behind = ''] = divided.exec(text) ?? [];
  const signs = [before, behind].map(signsIn);
  const isMoney = signs.every((some) => some.length <= 2 && some.every(isCurrency));
  if (isMoney && ambiguous.test(digits)) {
    return { fault: 'may be thousands or decimals: write 1234.00 or 1.23' };
  }
  const { units, point = '', fraction = '' } = number.exec(digits)?.groups ?? {};
  const dividers = new Set(units?.replace(/\d/g, ''));
  const isDividedOnce = dividers.size <= 1 && !dividers.has(point);
  if (!isMoney || units === undefined || !isDividedOnce) {
    return { fault: 'must be an amount such as 1234.56' };
  }
  return { value: String(BigInt(units.replace(/\D/g, '') + fraction.padEnd(2, '0'))) };
}
