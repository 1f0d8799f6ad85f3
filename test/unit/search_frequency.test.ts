/** A text that few records have is looked up, one that many have is planned for. */
import { describe, expect, test } from '@jest/globals';
import { raw } from '../../src/db/sql/sql.ts';
import { shapes } from '../../src/resources/shapes.ts';
import { frequencyOf } from '../../src/search/frequency.ts';
import { parseSearch } from '../../src/search/parse.ts';
import { searchStatement } from '../../src/search/statement.ts';

const requestOf = (query: object, accountId = 1) => ({
  shape: 'contacts' as const,
  shapes,
  accountId,
  search: parseSearch(query, 'contacts', shapes),
  page: 1,
  perPage: 20,
  record: () => raw("'{}'"),
});

/** Whether PostgreSQL is made to plan the search for its values each time. */
function isPlannedForItsValues(query: object, accountId?: number): boolean {
  const request = requestOf(query, accountId);
  const isRare = frequencyOf(request)?.isRare;
  return searchStatement({ ...request, isRare }).text.includes('generate_series');
}

test('a text is looked up until many records were found to have it, and again when few are', () => {
  const query = { full_name_cont: 'lima' };
  const frequency = frequencyOf(requestOf(query));
  expect(isPlannedForItsValues(query)).toBe(false);
  frequency?.note(1999);
  expect(isPlannedForItsValues(query)).toBe(false);
  frequency?.note(2000);
  expect(isPlannedForItsValues(query)).toBe(true);
  // Another text, another column, another account.
  expect(isPlannedForItsValues({ full_name_cont: 'limas' })).toBe(false);
  expect(isPlannedForItsValues({ email_cont: 'lima' })).toBe(false);
  expect(isPlannedForItsValues(query, 2)).toBe(false);
  frequency?.note(12);
  expect(isPlannedForItsValues(query)).toBe(false);
  // It could not be counted in time.
  frequency?.note(undefined);
  expect(isPlannedForItsValues(query)).toBe(true);
  frequency?.note(12);
  expect(isPlannedForItsValues(query)).toBe(false);
});

test('a text too long to be remembered is always planned for', () => {
  const query = { full_name_cont: 'a'.repeat(200) };
  frequencyOf(requestOf(query))?.note(12);
  expect(isPlannedForItsValues(query)).toBe(true);
});

describe('planned for its values each time, since no index of trigrams finds it as fast for any:', () => {
  test.each([
    ['the start of a text', { full_name_start: 'lima' }],
    ['its end', { full_name_end: 'lima' }],
    ['a pattern', { full_name_matches: '%lima%' }],
    ['what has it not', { full_name_not_cont: 'lima' }],
    ['one of two columns', { full_name_or_email_cont: 'lima' }],
    ['two conditions', { full_name_cont: 'lima', id_gt: 1 }],
    ['a group', { g: [{ m: 'or', full_name_cont: 'lima', id_gt: 1 }] }],
    ['a related record', { deals_name_cont: 'lima' }],
    ['words', { q: 'lima' }],
  ])('%s', (_, query) => {
    expect(frequencyOf(requestOf(query))).toBeUndefined();
    expect(isPlannedForItsValues(query)).toBe(true);
  });
});
