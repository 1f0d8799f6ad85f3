/** Amounts in cells of an import, by their value and by how people and spreadsheets write them. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { centsOf } from '../../src/import/amounts.ts';

const groups = (units: string, divider: string): string =>
  units.replace(/\B(?=(\d{3})+$)/g, divider);

/** Lakhs and crores: the last three digits, and pairs before them. */
function lakhs(units: string): string {
  const last = units.slice(-3);
  const before = units.slice(0, -3).replace(/\B(?=(\d{2})+$)/g, ',');
  return before === '' ? last : `${before},${last}`;
}

type Writing = (units: string, decimals: string) => string;

/** Each with a point or comma for decimals, and none for an amount without cents where that is usual. */
const writings: Readonly<Record<string, Writing>> = {
  plain: (units, decimals) => `${units}.${decimals}`,
  'decimal comma': (units, decimals) => `${units},${decimals}`,
  'units alone': (units, decimals) => (decimals === '00' ? units : `${units}.${decimals}`),
  american: (units, decimals) => `$${groups(units, ',')}.${decimals}`,
  german: (units, decimals) => `${groups(units, '.')},${decimals} €`,
  brazilian: (units, decimals) => `R$ ${groups(units, '.')},${decimals}`,
  french: (units, decimals) => `${groups(units, '\u202f')},${decimals} €`,
  'no-break space': (units, decimals) => `${groups(units, '\u00a0')},${decimals} EUR`,
  swiss: (units, decimals) => `CHF ${groups(units, '’')}.${decimals}`,
  apostrophe: (units, decimals) => `${groups(units, "'")}.${decimals}`,
  indian: (units, decimals) => `₹ ${lakhs(units)}.${decimals}`,
  'groups alone': (units, decimals) =>
    decimals === '00' ? groups(units, ',') : `${groups(units, ' ')},${decimals}`,
};

const cents = fc.oneof(
  fc.nat({ max: 200_000 }),
  fc.nat({ max: 2_000_000_000 }),
  fc.nat({ max: Number.MAX_SAFE_INTEGER }),
  fc.nat({ max: 9_999_999 }).map((units) => units * 100),
);

test('10,000 amounts in twelve writings are exact to the cent, or refused where they may be two', () => {
  let refused = 0;
  fc.assert(
    fc.property(cents, (amount) => {
      const digits = String(amount).padStart(3, '0');
      const [units, decimals] = [digits.slice(0, -2), digits.slice(-2)];
      for (const [name, write] of Object.entries(writings)) {
        const text = write(units, decimals);
        const read = centsOf(text);
        // Of these writings one alone leaves open which of its signs is the decimal one.
        const isOpen = name === 'groups alone' && /^[1-9]\d{0,2},\d{3}$/.test(text);
        const wanted = isOpen ? undefined : String(amount);
        const cents = 'value' in read ? read.value : undefined;
        // Of thousands of expectations each would take longer than what it is about.
        if (cents !== wanted) expect([name, text, cents]).toEqual([name, text, wanted]);
        refused += Number(isOpen);
      }
    }),
    { numRuns: 10_000 },
  );
  expect(refused).toBeGreaterThan(0);
});

test('10,000 amounts with another sign, letter, divider or decimal are refused, or mean what they did', () => {
  const noise = fc.constantFrom(...".,'’ -+%eEkKm()/xO0١５\u00a0\u2212");
  fc.assert(
    fc.property(
      cents,
      fc.constantFrom(...Object.values(writings)),
      noise,
      fc.nat(),
      (amount, write, sign, place) => {
        const digits = String(amount).padStart(3, '0');
        const text = write(digits.slice(0, -2), digits.slice(-2));
        const at = place % (text.length + 1);
        const changed = `${text.slice(0, at)}${sign}${text.slice(at)}`;
        const read = centsOf(changed);
        // Another digit, blank or decimal sign can make another amount, and never one of other digits.
        if (!('value' in read)) return;
        const meant = changed.replace(/\D/g, '');
        const allowed = [meant, `${meant}0`, `${meant}00`].map((each) => String(BigInt(each)));
        if (!allowed.includes(read.value))
          expect([changed, read.value]).toEqual([changed, allowed]);
      },
    ),
    { numRuns: 10_000 },
  );
});
