import { expect, test } from '@jest/globals';
import { isStrict } from '../../src/http/headers/preferences.ts';

/** Nanoseconds that it takes to read a header, at best. */
function cost(prefer: string): number {
  const taken = Array.from({ length: 30 }, () => {
    const began = process.hrtime.bigint();
    for (let n = 0; n < 50; n += 1) isStrict({ headers: { prefer } });
    return Number(process.hrtime.bigint() - began);
  });
  return Math.min(...taken);
}

test.each([
  (blanks: string) => `handling${blanks}x`,
  (blanks: string) => `handling=${blanks}"`,
  (blanks: string) => `handling${blanks}=${blanks}"`,
])('eight times the blanks take no more than some twenty times as long to read', (of) => {
  const [short, long] = [of(' '.repeat(800)), of(' '.repeat(6400))];
  cost(short);
  expect(cost(long) / cost(short)).toBeLessThan(24);
});
