/** Files that hold what a test found the last time: `GOLDEN=update` writes them anew. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from '@jest/globals';

/** Compares to the letter. @param path beneath the root of the project */
export function expectGolden(path: string, found: (kept: string) => string): void {
  const file = new URL(`../../${path}`, import.meta.url);
  const kept = readFileSync(file, { encoding: 'utf8', flag: 'a+' });
  const text = found(kept);
  if (process.env.GOLDEN === 'update') writeFileSync(file, text);
  else expect(text).toBe(kept);
}

const clause =
  / (?=(?:(?:LEFT|CROSS) JOIN|SELECT|FROM|WHERE|AND|OR|VALUES|RETURNING|ORDER BY|UNION|SET|ELSE)\b)| (?<!LEFT |CROSS )(?=JOIN )|(?<=\() ?(?=SELECT )/;

/** A statement with a line for each of its clauses, so that a diff shows what changed and no more. */
export function sqlLines(statement: string): string {
  let depth = 0;
  return statement
    .trim()
    .replaceAll(/\s+/g, ' ')
    .split(clause)
    .map((line) => {
      const indent = ' '.repeat(2 * depth);
      depth += line.split('(').length - line.split(')').length;
      return indent + line.replaceAll(/(.{40,80},) (?=.{20})/g, `$1\n${indent}  `);
    })
    .join('\n');
}
