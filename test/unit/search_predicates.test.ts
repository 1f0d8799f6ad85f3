import { describe, expect, test } from '@jest/globals';
import { endingOf, predicateNamed, predicates } from '../../src/search/predicates.ts';

/** Each with `_any` and `_all`. */
const families =
  'eq not_eq matches does_not_match lt lteq gt gteq in not_in cont not_cont i_cont not_i_cont start not_start end not_end';
const flags = 'true not_true false not_false present blank null not_null';

describe('the table of predicates', () => {
  test('holds those of Ransack, once each, and no other', () => {
    const expected = [
      ...families.split(' ').flatMap((name) => [name, `${name}_any`, `${name}_all`]),
      ...flags.split(' '),
    ];
    expect(predicates.map(({ name }) => name).sort()).toEqual(expected.sort());
  });

  test('says of each what it means and what it takes', () => {
    for (const { name, meaning, takes } of predicates) {
      expect(meaning).toMatch(/^(is|does|equals|contains|starts|ends|matches) ?/);
      const list = /(^|_)in$|_(any|all)$/.test(name);
      expect([name, takes]).toEqual([
        name,
        flags.split(' ').includes(name) ? 'flag' : list ? 'list' : 'value',
      ]);
    }
  });

  test.each([
    ['name_eq', 'name', 'eq'],
    ['name_not_eq', 'name', 'not_eq'],
    ['name_does_not_match_any', 'name', 'does_not_match_any'],
    ['name_not_i_cont_all', 'name', 'not_i_cont_all'],
    ['not_null', 'not', 'null'],
    ['x_not_null', 'x', 'not_null'],
    ['a_in_any_not_in_all', 'a_in_any', 'not_in_all'],
    ['_eq', '', 'eq'],
  ])('%s ends with the longest predicate', (key, rest, name) => {
    const ending = endingOf(key);
    expect([ending?.rest, ending?.predicate.name]).toEqual([rest, name]);
  });

  test.each(['eq', 'name', 'name_EQ', 'name_eq_', 'name_true_any', 'name_all', 'nameeq', ''])(
    '%p ends with none',
    (key) => expect(endingOf(key)).toBeUndefined(),
  );

  test.each(['constructor', '__proto__', 'toString', 'EQ', ''])('has no %p', (name) => {
    expect(predicateNamed(name)).toBeUndefined();
  });
});
