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

/** Words in lines of a width that a diff can show. */
export function wrapped(text: string, width = 96): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).filter(Boolean)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = `  ${word}`;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join('\n');
}
