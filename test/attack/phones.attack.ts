/** Ten thousand phones of all countries in all writings. */
import { expect, test } from '@jest/globals';
import { mistakes } from '../property/phone_writings.ts';

test('ten thousand numbers of all countries are stored as E.164 however they are written', () => {
  expect(mistakes(1, 10_000)).toEqual([]);
});
