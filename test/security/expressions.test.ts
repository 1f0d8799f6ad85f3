/**
 * No expression takes a time that grows faster than the text it is given. `linear_expressions.txt` lists those
 * that `recheck` has found linear, since to analyse all of them takes a minute; one that is not listed is
 * analysed here. `GOLDEN=update npm test -- security/expressions` writes the list anew.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { expressionsOfSource } from '../kit/expressions.ts';

// In JavaScript, and not by the program that may have been installed beside it.
process.env.RECHECK_BACKEND = 'pure';
const { checkSync } = await import('recheck');

const list = fileURLToPath(new URL('./linear_expressions.txt', import.meta.url));
const { literals, made } = expressionsOfSource();

/** Milliseconds for one, and the seed of the attacks that are tried: the outcome must not be chance. */
const analysis = { timeout: 60_000, randomSeed: 0 } as const;

/** @returns `linear`, or what was found of it instead */
function verdictOn(literal: string): string {
  const end = literal.lastIndexOf('/');
  const found = checkSync(literal.slice(1, end), literal.slice(end + 1), analysis);
  switch (found.status) {
    case 'safe':
      return 'linear';
    case 'vulnerable':
      return `${found.complexity.summary}, by ${found.attack.pattern}`;
    default:
      return `not decided: ${found.error.kind}`;
  }
}

test.each([
  [String.raw`/\s+$/`, '2nd degree polynomial'],
  ['/^(a+)+$/', 'exponential'],
])('%s is found to be worse than linear', (literal, found) => {
  expect(verdictOn(literal)).toContain(found);
});

test('every expression of the source is linear', () => {
  const listed = readFileSync(list, 'utf8').trim().split('\n');
  const verdicts = new Map(listed.map((literal) => [literal, 'linear']));
  const wrong: string[] = [];
  for (const [literal, places] of literals) {
    const verdict = verdicts.get(literal) ?? verdictOn(literal);
    verdicts.set(literal, verdict);
    if (verdict !== 'linear') wrong.push(`${places.join(', ')}: ${literal} is ${verdict}`);
  }
  expect(wrong).toEqual([]);
  const linear = [...literals.keys()].toSorted();
  if (process.env.GOLDEN === 'update') writeFileSync(list, `${linear.join('\n')}\n`);
  else expect(listed).toEqual(linear);
}, 600_000);

test('no expression is made of a text, where it could not be judged', () => {
  expect(made).toEqual([]);
});
