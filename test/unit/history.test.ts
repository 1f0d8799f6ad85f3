/** The checker of histories, and the bugs that it is tried with. */
import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { bugs } from '../attack/history/bugs.ts';
import { anomaliesOf, type Operation } from '../attack/history/checker.ts';
import { patched } from '../attack/history/version.ts';

const append = (began: number, ended: number, key: number, element: string): Operation => ({
  ...{ began, ended, append: { key, element }, reads: [] },
});
const read = (
  began: number,
  ended: number,
  lists: Readonly<Record<number, readonly string[]>>,
): Operation => ({
  ...{ began, ended },
  reads: Object.entries(lists).map(([key, elements]) => [Number(key), elements] as const),
});
const last = new Map([
  [1, ['a', 'b']],
  [2, ['c']],
]);
const appends = [append(0, 1, 1, 'a'), append(2, 3, 1, 'b'), append(0, 5, 2, 'c')];

test('nothing is said of a history that some order explains', () => {
  expect(anomaliesOf([...appends, read(1, 4, { 1: ['a'], 2: ['c'] })], last)).toEqual([]);
  expect(anomaliesOf([...appends, read(0, 2, { 1: [], 2: ['c'] })], last)).toEqual([]);
  // Nobody knows what came of an append without an answer.
  const unanswered = append(0, Number.POSITIVE_INFINITY, 1, 'x');
  expect(anomaliesOf([...appends, unanswered], last)).toEqual([]);
  expect(anomaliesOf([...appends, unanswered], new Map([...last, [1, ['a', 'b', 'x']]]))).toEqual(
    [],
  );
});

test.each<[string, readonly Operation[], RegExp]>([
  ['what was acknowledged and is gone', [append(6, 7, 1, 'z')], /^lost update: z of 1/],
  ['a list that another did not grow from', [read(3, 4, { 1: ['b'] })], /^torn read: 1 had b/],
  ['a read that lacks what was there before it began', [read(3.5, 4, { 1: ['a'] })], /^cycle: /],
  [
    'two reads that see two appends in opposite orders',
    [read(0, 5, { 1: ['a', 'b'], 2: [] }), read(0, 5, { 1: [], 2: ['c'] })],
    /^cycle: /,
  ],
])('it notices %s', (_, operations, anomaly) => {
  expect(anomaliesOf([...appends, ...operations], last)[0]).toMatch(anomaly);
});

test('it notices what is there twice, and what nobody appended', () => {
  expect(anomaliesOf(appends, new Map([...last, [1, ['a', 'b', 'a']]]))[0]).toMatch(/twice/);
  expect(anomaliesOf(appends, new Map([...last, [2, ['c', 'q']]]))[0]).toMatch(/q, which nobody/);
});

test.each(bugs)('what makes $name is still in the service', async ({ patches = [], sql }) => {
  expect(patches.length > 0 || sql !== undefined).toBe(true);
  for (const patch of patches) {
    const module = new URL(`../../dist/modules/${patch.module}`, import.meta.url);
    const text = await readFile(module, 'utf8');
    expect(patched(text, patch)).not.toBe(text);
  }
});
