import { describe, expect, test } from '@jest/globals';
import { Fault } from '../../src/errors/errors.ts';
import { pagination, readPage } from '../../src/search/page.ts';

const refused = (page: unknown, perPage: unknown) => {
  try {
    readPage(page, perPage);
    return undefined;
  } catch (error) {
    return error instanceof Fault ? { ...error.fields } : undefined;
  }
};

describe('the page asked for', () => {
  test('is the first of 10 unless said otherwise', () => {
    expect(readPage(undefined, null)).toEqual({ page: 1, perPage: 10 });
    expect(readPage('2', '100')).toEqual({ page: 2, perPage: 100 });
    expect(readPage(2 ** 53 - 1, 1)).toEqual({ page: 2 ** 53 - 1, perPage: 1 });
  });

  test.each([
    [0, 'must be greater than or equal to 1'],
    ['-1', 'must be greater than or equal to 1'],
    ['0', 'must be greater than or equal to 1'],
    [1.5, 'is not an integer'],
    ['', 'is not an integer'],
    ['1.0', 'is not an integer'],
    ['01', 'is not an integer'],
    ['two', 'is not an integer'],
    [true, 'is not an integer'],
    [[1], 'is not an integer'],
    [{}, 'is not an integer'],
    [Number.NaN, 'is not an integer'],
    ['9'.repeat(400), 'must be less than or equal to 9007199254740991'],
  ])('%p is refused', (page, message) => expect(refused(page, 1)).toEqual({ page: [message] }));

  test('has at most 100 records, and both faults are reported together', () => {
    expect(refused(1, 100)).toBeUndefined();
    expect(refused('x', 101)).toEqual({
      page: ['is not an integer'],
      per_page: ['must be less than or equal to 100'],
    });
  });
});

describe('the pagination object', () => {
  test.each([
    ['one of one', [1, 10, 3, 3], [1, 3, 3, 1, 1, 3, 1, null, null]],
    ['the first of three', [1, 10, 25, 10], [1, 10, 25, 3, 1, 10, 3, null, 2]],
    ['the last of three', [3, 10, 25, 5], [3, 5, 25, 3, 21, 25, 3, 2, null]],
    ['a full last page', [2, 10, 20, 10], [2, 10, 20, 2, 11, 20, 2, 1, null]],
    ['nothing found', [1, 10, 0, 0], [1, 0, 0, 1, 0, 0, 1, null, null]],
    ['past the end', [9, 10, 25, 0], [9, 0, 25, 3, 0, 0, 3, 3, null]],
    ['past the end of nothing', [2, 10, 0, 0], [2, 0, 0, 1, 0, 0, 1, 1, null]],
  ])('%s', (_, [page, perPage, count, here], expected) => {
    const names = ['page', 'items', 'count', 'pages', 'from', 'to', 'last', 'prev', 'next'];
    expect(pagination(page ?? 0, perPage ?? 0, count ?? 0, here ?? 0)).toEqual(
      Object.fromEntries([
        ...names.map((name, at) => [name, expected[at]]),
        ['next_cursor', null],
        ['counted', 'exact'],
      ]),
    );
  });
});
