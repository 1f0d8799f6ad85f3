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
  ['55 11 98765-4321', 'BR', '+5511987654321'],
  // A local number is never taken for a foreign one.
  ['415 555 2671', null, '415 555 2671'],
  ['(11) 98765-4321', null, '(11) 98765-4321'],
  ['1 (415) 555-2671', null, '1 (415) 555-2671'],
  ['41 44 668 18 00', null, '41 44 668 18 00'],
  ['41446681800', null, '+41446681800'],
  ['41446681800', 'US', '+41446681800'],
  ['4930123456', 'DE', '+4930123456'],
  // Messengers leave out the ninth digit of Brazilian mobile numbers.
  ['+55 11 8765-4321', null, '+5511987654321'],
  ['551187654321', null, '+5511987654321'],
  ['00551187654321', null, '+5511987654321'],
  ['(11) 8765-4321', 'BR', '+5511987654321'],
  ['+5511987654321', null, '+5511987654321'],
  ['+551133334444', null, '+551133334444'],
  ['(11) 3333-4444', 'BR', '+551133334444'],
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
