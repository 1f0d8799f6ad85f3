/** What the index is asked for in place of a pattern: every text that meets the one meets the other. */
import { expect, test } from '@jest/globals';
import { indexPattern, indexPatterns } from '../../src/search/index_pattern.ts';

test.each([
  ['%camila.526079@uol.com.br%', '%camila%526079%'],
  ['%Qana camila.526079@uol.com.br%', '%Qana %camila%526079%'],
  ['%maria@empresa.com.br%', '%maria%empresa%'],
  ['%cam%la.94526079@uol_com%', '%cam%94526079%_com%'],
  ['%+55 (11) 98765-4321%', '%+55 (11) %98765%4321%'],
  ['%100\\%.percents\\_off%', '%percents%'],
])('of %s long runs alone', (pattern, shorter) => {
  expect(indexPattern(pattern)).toBe(shorter);
});

test.each([
  '%maria%',
  '%Qmaria silva%',
  '% ma%',
  '%o.k.%',
  '%50\\%%',
  '%jean-luc%',
  '%maria@x.io%',
  '%\\\\%',
  '%fer%da%',
  '%+55%',
])('%s itself', (pattern) => {
  expect(indexPattern(pattern)).toBeUndefined();
});

test('of many patterns that have the same letters in a row one', () => {
  expect(
    indexPatterns([
      '%wucaraje%',
      '%wucara%e%',
      '% wu%araje%',
      '%u%araje%',
      '%wuca%je%',
      '%wuca%je%',
    ]),
  ).toEqual(['%wuca%', '%araje%']);
});

test('of many patterns what an index has lists of, and nothing that follows from less', () => {
  expect(
    indexPatterns([
      '%nehamana%',
      '%eh%mana%',
      '%n%h%mana%',
      '% ne%ama%a%',
      '% ne%aman%',
      '%Qne%ama%a%',
      '%neh%man%',
      '%o%a%',
      '%ne%50\\%%',
    ]),
  ).toEqual(['%o%a%', '%mana%', '% ne%ama%', '%Qne%ama%', '%neh%man%', '%ne%50\\%%']);
});
