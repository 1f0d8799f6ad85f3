import { expect, test } from '@jest/globals';
import { normalisePhone } from '../../src/resources/contacts/phone.ts';

test.each([
  ['+14155552671', null, '+14155552671'],
  ['+1 (415) 555-2671', null, '+14155552671'],
  ['  +1/415.555.2671 ', null, '+14155552671'],
  ['0014155552671', null, '+14155552671'],
  ['14155552671', null, '+14155552671'],
  ['4155552671', 'US', '+14155552671'],
  ['(81) 99876-5432', 'BR', '+5581998765432'],
  ['030 123456', 'DE', '+4930123456'],
  ['+49 30 123456', 'BR', '+4930123456'],
  // What cannot be read stays as it is.
  ['030 123456', null, '030 123456'],
  ['555-1234', 'US', '555-1234'],
  ['+999 1', null, '+999 1'],
  ['+14155552671 ext. 5', null, '+14155552671 ext. 5'],
  ['call +14155552671', null, 'call +14155552671'],
  ['4155552671', 'XX', '4155552671'],
  ['+', null, '+'],
  ['00', null, '00'],
  ['', 'US', ''],
  ['  ', null, ''],
])('%j with the default country %j becomes %j', (sent, country, kept) => {
  expect(normalisePhone(sent, country)).toBe(kept);
});

test('what it gives stays as it is when it is given again', () => {
  for (const sent of ['+1 (415) 555-2671', '0014155552671', '555-1234', ' call me ', '']) {
    const kept = normalisePhone(sent, null);
    expect(normalisePhone(kept, null)).toBe(kept);
  }
});
