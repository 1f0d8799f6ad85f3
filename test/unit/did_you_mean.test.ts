import { expect, test } from '@jest/globals';
import { didYouMean, nearest } from '../../src/errors/did_you_mean.ts';

const fields = ['id', 'full_name', 'email', 'phone', 'label_list', 'amount_in_cents'];

test.each([
  ['fullname', 'full_name'],
  ['FullName', 'full_name'],
  ['name', 'full_name'],
  ['e-mail', 'email'],
  ['mail', 'email'],
  ['phone_number', 'phone'],
  ['amount', 'amount_in_cents'],
  ['labels_list', 'label_list'],
  ['prise', undefined],
  ['is', undefined],
  ['', undefined],
  ['x'.repeat(101), undefined],
])('%j is most like %j', (given, meant) => {
  expect(nearest(given, fields)).toBe(meant);
});

test('a limit of slips counts letters alone, and names may be told as others', () => {
  const as = new Map([['/contacts/0', '/contacts/{id}']]);
  expect(didYouMean('/contact/0', as.keys(), { max: 4, as })).toBe(
    ' (did you mean /contacts/{id}?)',
  );
  expect(didYouMean('/contacts/0/5/5/5', as.keys(), { max: 4, as })).toBe('');
});
