import { expect, test } from '@jest/globals';
import { parse } from 'graphql';
import { repeatsOf } from '../../src/graphql/guard/repeats.ts';

test.each([
  ['a field under its own name', '{ contact { id email } }', 1],
  ['a field under three names', '{ contact { a: email b: email email } }', 3],
  ['names that come again', '{ one: contact { a: email } two: contact { a: email } }', 1],
  ['names in fragments', '{ contact { a: email ...F } } fragment F on Contact { b: email }', 2],
  ['records under two names', '{ one: contact { id } two: contact { id } }', 1],
])('%s repeats what was read as often as it has names', (_, document, max) => {
  expect(repeatsOf(parse(document))).toBe(max);
});
