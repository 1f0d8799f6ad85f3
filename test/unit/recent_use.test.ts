import { expect, test } from '@jest/globals';
import { heaviestOf, RecentUse } from '../../src/lib/recent_use.ts';

test('what was used counts for ten minutes, by its time', () => {
  const use = new RecentUse();
  use.note(1, 7, 10);
  use.turn();
  use.note(2, 7, 30);
  use.note(1, 7, 10);
  const both = [
    { id: 2, account: 7, count: 1, ms: 30 },
    { id: 1, account: 7, count: 2, ms: 20 },
  ];
  expect(use.heaviest()).toEqual(both);
  for (let minute = 0; minute < 9; minute += 1) use.turn();
  expect(use.heaviest()).toEqual([both[0], { id: 1, account: 7, count: 1, ms: 10 }]);
  use.turn();
  expect(use.heaviest()).toEqual([]);
});

test('of thousands the heaviest are kept', () => {
  const use = new RecentUse();
  for (let id = 1; id <= 5000; id += 1) use.note(id, id, id === 17 ? 1e6 : id % 100);
  expect(use.heaviest()[0]).toEqual({ id: 17, account: 17, count: 1, ms: 1e6 });
  expect(use.heaviest()).toHaveLength(20);
});

test('several processes are added up', () => {
  const one = { id: 1, account: 1, count: 2, ms: 5 };
  expect(heaviestOf([[one], [one, { ...one, id: 2, ms: 6 }]])).toEqual([
    { id: 1, account: 1, count: 4, ms: 10 },
    { id: 2, account: 1, count: 2, ms: 6 },
  ]);
});
