import { expect, test } from '@jest/globals';
import { FairQueue } from '../../src/lib/fair_queue.ts';

const queueOf = (...entries: string[]) => {
  const queue = new FairQueue<string, string>();
  for (const entry of entries) queue.add(entry.charAt(0), entry);
  return queue;
};

const drain = (queue: FairQueue<string, string>) =>
  Array.from({ length: queue.size }, () => queue.take());

test('owners take turns, however many entries each has, and keep the order of their own', () => {
  expect(drain(queueOf('a1', 'a2', 'a3', 'b1', 'b2', 'c1'))).toEqual([
    'a1',
    'b1',
    'c1',
    'a2',
    'b2',
    'a3',
  ]);
});

test('an owner whose entry was taken comes after those who joined before', () => {
  const queue = queueOf('a1', 'a2', 'b1');
  expect(queue.take()).toBe('a1');
  queue.add('c', 'c1');
  expect([...queue.owners()]).toEqual(['b', 'a', 'c']);
  expect(drain(queue)).toEqual(['b1', 'a2', 'c1']);
});

test('entries that may not be taken are passed over and keep their place', () => {
  const queue = queueOf('a1', 'a2', 'b1');
  expect(queue.take((entry) => entry !== 'a1')).toBe('a2');
  expect(queue.take((_, owner) => owner === 'c')).toBeUndefined();
  expect(drain(queue)).toEqual(['b1', 'a1']);
});

test('what is removed costs its owner no turn', () => {
  const queue = queueOf('a1', 'a2', 'b1');
  queue.remove('a', 'a1');
  queue.remove('a', 'unknown');
  queue.remove('c', 'c1');
  expect(queue.size).toBe(2);
  expect(drain(queue)).toEqual(['a2', 'b1']);
});

test('the latest entry of the longest queue is removed where there are too many', () => {
  const queue = queueOf('a1', 'b1', 'b2', 'c1');
  expect(queue.removeFromLongest()).toBe('b2');
  expect([...queue.entries()].sort()).toEqual(['a1', 'b1', 'c1']);
  expect(queueOf().removeFromLongest()).toBeUndefined();
});
