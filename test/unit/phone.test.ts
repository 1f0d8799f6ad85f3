import { expect, test } from '@jest/globals';
import { formerPhones } from '../../src/resources/contacts/former_phones.ts';
import { identifies, normalisePhone } from '../../src/resources/contacts/phone.ts';
import { repairedPhone } from '../../src/resources/contacts/phone_repair.ts';

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
  // A national number is never taken for a foreign one.
  ['415 555 2671', null, '415 555 2671'],
  ['(11) 98765-4321', null, '(11) 98765-4321'],
  ['1 (415) 555-2671', null, '1 (415) 555-2671'],
  ['41 44 668 18 00', null, '41 44 668 18 00'],
  ['41446681800', null, '41446681800'],
  ['41446681800', 'US', '41446681800'],
  ['41999991234', null, '41999991234'],
  ['31987654321', null, '31987654321'],
  ['48999998888', null, '48999998888'],
  ['12345678901', 'CN', '12345678901'],
  ['5511987654321', null, '+5511987654321'],
  ['00 41 99 999 12 34', null, '00 41 99 999 12 34'],
  // A country's own code is not written twice, nor taken from where it is an area's.
  ['4930123456', 'DE', '+4930123456'],
  ['4915112345678', 'DE', '+4915112345678'],
  ['49 151 12345678', 'DE', '+4915112345678'],
  ['004915112345678', 'DE', '+4915112345678'],
  ['62812345678', 'ID', '+62812345678'],
  ['55991234567', 'BR', '+5555991234567'],
  ['3912345678', 'IT', '+393912345678'],
  ['39 391 2345678', 'IT', '+393912345678'],
  // International prefixes.
  ['0011 31 6 23107707', 'AU', '+31623107707'],
  ['0031 6 23107707', 'AU', '+31623107707'],
  ['00131623107707', 'HK', '+31623107707'],
  ['011 49 30 123456', 'US', '+4930123456'],
  ['0049 30 123456', 'US', '+4930123456'],
  ['8~10 49 30 1234567', 'RU', '+49301234567'],
  // Messengers leave out the ninth digit of Brazilian mobile numbers, and put a 1 into Mexican ones.
  ['+55 11 8765-4321', null, '+5511987654321'],
  ['551187654321', null, '+5511987654321'],
  ['00551187654321', null, '+5511987654321'],
  ['(11) 8765-4321', 'BR', '+5511987654321'],
  ['+5511987654321', null, '+5511987654321'],
  ['+551133334444', null, '+551133334444'],
  ['(11) 3333-4444', 'BR', '+551133334444'],
  ['+5215512345678', null, '+525512345678'],
  ['5215512345678', 'MX', '+525512345678'],
  ['1 55 1234 5678', 'MX', '+525512345678'],
  ['+525512345678', null, '+525512345678'],
  ['+54 11 15-1234-5678', null, '+5491112345678'],
  ['011 15 1234 5678', 'AR', '+5491112345678'],
  ['+54 9 11 1234-5678', null, '+5491112345678'],
  // Marks, links, and digits and signs of other scripts.
  ['\u2068+14155552671\u2069', null, '+14155552671'],
  ['\u202a+1 415\u200e 555\u00ad-2671\u202c', null, '+14155552671'],
  ['tel:+1-415-555-2671', null, '+14155552671'],
  ['TEL://+14155552671', null, '+14155552671'],
  ['tel:030123456;phone-context=+49', null, '+4930123456'],
  ['whatsapp:+5511912345678', null, '+5511912345678'],
  ['whatsapp:5511912345678', null, '+5511912345678'],
  ['(+55) 11 91234-5678', null, '+5511912345678'],
  ['[+55] 11 91234 5678', null, '+5511912345678'],
  ['+ 55 11 91234 5678', null, '+5511912345678'],
  ['+49 (0) 30 123456', null, '+4930123456'],
  ['(0xx11) 91234-5678', 'BR', '+5511912345678'],
  ['0 XX 11 91234-5678', 'BR', '+5511912345678'],
  ['0**11 91234-5678', 'BR', '+5511912345678'],
  ['015 11 91234-5678', 'BR', '+5511912345678'],
  ['+55 (0xx11) 91234-5678', null, '+5511912345678'],
  [
    '\uff0b\uff11\uff08\uff14\uff11\uff15\uff09\uff15\uff15\uff15\uff0d\uff12\uff16\uff17\uff11',
    null,
    '+14155552671',
  ],
  ['+\u0661\u0664\u0661\u0665\u0665\u0665\u0665\u0662\u0666\u0667\u0661', null, '+14155552671'],
  ['+\u0967\u096a\u0967\u096b\u096b\u096b\u096b\u0968\u096c\u096d\u0967', null, '+14155552671'],
  ['+1\u2013415\u2014555\u22122671', null, '+14155552671'],
  ['+1\u00a0415\u202f555\u30002671', null, '+14155552671'],
  ['089 / 1234567', 'DE', '+49891234567'],
  // A code that the metadata do not know, or a number that cannot be: its digits.
  ['+999 1', null, '+9991'],
  ['+41 99 999 12 34', null, '+41999991234'],
  ['(+999) 12-34', null, '+9991234'],
  // What is more or less than a number stays as it is.
  ['030 123456', null, '030 123456'],
  ['555-1234', 'US', '555-1234'],
  ['+14155552671 ext. 5', null, '+14155552671 ext. 5'],
  ['+14155552671 x5', null, '+14155552671 x5'],
  ['tel:+14155552671;ext=5', null, 'tel:+14155552671;ext=5'],
  ['+14155552671,,5#', null, '+14155552671,,5#'],
  ['call +14155552671', null, 'call +14155552671'],
  ['1-800-FLOWERS', 'US', '1-800-FLOWERS'],
  ['+14155552671 +14155552672', null, '+14155552671 +14155552672'],
  ['+14155552671 / 4155552672', null, '+14155552671 / 4155552672'],
  ['+4155552671 4155552672', null, '+4155552671 4155552672'],
  ['030 12345 / 030 12346', 'DE', '030 12345 / 030 12346'],
  ['030 12345\n030 12346', 'DE', '030 12345\n030 12346'],
  ['030 123456/7', 'DE', '030 123456/7'],
  ['+14155552671; +14155552672', null, '+14155552671; +14155552672'],
  ['4155552671', 'XX', '4155552671'],
  ['N/A', 'US', 'N/A'],
  ['+', null, '+'],
  ['00', null, '00'],
  ['', 'US', ''],
  ['  ', null, ''],
  ['\u200e \u2069', 'US', ''],
])('%j with the default country %j becomes %j', (sent, country, kept) => {
  expect(normalisePhone(sent, country)).toBe(kept);
});

test('what it gives stays as it is when it is given again', () => {
  for (const sent of ['+1 (415) 555-2671', '0014155552671', '555-1234', ' call me ', '']) {
    const kept = normalisePhone(sent, null);
    expect(normalisePhone(kept, null)).toBe(kept);
  }
});

test('a phone without any digit names nobody', () => {
  expect(['N/A', '-', '', '+', 'call me'].filter(identifies)).toEqual([]);
  const some = ['5', 'ext. 12', '+9991', '\u0665', '\uff15', '\u096b'];
  expect(some.filter(identifies)).toEqual(some);
});

test('a long text is no phone, and costs no more than reading it', () => {
  for (const part of ['1', ' ', '-', '(0xx', '\u200e', '\u0665', ';phone-context=+1']) {
    const text = `+${part.repeat(1_000_000 / part.length)}1`;
    const begun = performance.now();
    expect(normalisePhone(text, 'BR')).toBe(text);
    expect(formerPhones(text, text, 'BR').length).toBeLessThanOrEqual(1);
    expect(performance.now() - begun).toBeLessThan(500);
  }
});

// What the former rules stored of each.
test.each([
  ['41999991234', null, ['+41999991234']],
  ['4915112345678', 'DE', ['+494915112345678']],
  ['62812345678', 'ID', ['+6262812345678']],
  ['(+55) 11 91234-5678', null, ['(+55) 11 91234-5678']],
  ['\u2068+14155552671\u2069', null, ['\u2068+14155552671\u2069']],
  ['+52 1 55 1234 5678', null, ['+5215512345678']],
  ['+52 55 1234 5678', null, ['+5215512345678']],
  ['0011 31 6 23107707', 'AU', ['0011 31 6 23107707']],
  ['+999 1', null, ['+999 1']],
  ['551191234567', 'US', ['+551191234567']],
  ['00 41 99 999 12 34', null, ['+41999991234']],
])('%j with the default country %j may have been stored as %j', (sent, country, forms) => {
  const found = formerPhones(sent, normalisePhone(sent, country), country);
  expect(found).toEqual(expect.arrayContaining(forms));
});

test.each([
  ['+41999991234', null, '41999991234'],
  ['+41999991234', 'BR', '+5541999991234'],
  ['+41999991234', 'DE', '+41999991234'],
  ['+494915112345678', 'DE', '+4915112345678'],
  ['+6262812345678', 'ID', '+62812345678'],
  ['+494915112345678', null, '+494915112345678'],
  ['+5215512345678', null, '+525512345678'],
  ['(+55) 11 91234-5678', null, '+5511912345678'],
  ['+4930123456', 'DE', '+4930123456'],
  ['+9991', null, '+9991'],
  ['N/A', 'DE', 'N/A'],
])('%j, stored by former rules in an account of %j, becomes %j', (stored, country, repaired) => {
  expect(repairedPhone(stored, country)).toBe(repaired);
});

test('a number that was always read is looked for once, and another that exists never', () => {
  const of = (sent: string, country: string | null) =>
    formerPhones(sent, normalisePhone(sent, country), country);
  expect(of('+14155552671', null)).toEqual([]);
  expect(of('+1 (415) 555-2671', null)).toEqual([]);
  expect(of('(11) 91234-5678', 'BR')).toEqual([]);
  expect(of('0049 30 123456', null)).toEqual([]);
  // A number of Zurich exists; in an account of Brazil these digits are not it.
  expect(of('41446681800', null)).not.toContain('+41446681800');
});
