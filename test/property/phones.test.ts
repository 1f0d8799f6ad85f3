/** Phones of all countries, however they are written: `phones.attack.ts` tries twenty times as many. */
import { expect, test } from '@jest/globals';
import { mistakes } from './phone_writings.ts';

test('a number of any country is stored as E.164 however it is written, and never as another', () => {
  expect(mistakes(1, 500)).toEqual([]);
});
