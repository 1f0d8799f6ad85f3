/** `npm start` replaces its shell where that can be replaced, and starts in shells that know no `exec`, as Windows'. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const { start } = JSON.parse(readFileSync('package.json', 'utf8')).scripts;
/** Both kinds of shells run what follows `||` where what stands before it, joined by `&&`, fails. */
const [first = '', otherwise = ''] = String(start).split(' || ');
const [probe = '', replacing = ''] = first.split(' && ');

/** With which status the probe ends on a platform. */
function statusOn(platform: string): number | null {
  const program = /^node -e "([^"]*)"$/.exec(probe)?.[1];
  if (program === undefined) throw new Error(`another probe: ${probe}`);
  const there = `Object.defineProperty(process, 'platform', { value: '${platform}' })`;
  return spawnSync(process.execPath, ['-e', `${there}; ${program}`]).status;
}

test('on Windows it never comes to exec, and goes on with the same program', () => {
  expect(statusOn('win32')).toBe(1);
  expect(otherwise).toMatch(/^node .* dist\/main\.js$/);
  expect(replacing).toBe(`exec ${otherwise}`);
});

test.each(['linux', 'darwin'])('on %s the program has the process of the shell', (platform) => {
  expect(statusOn(platform)).toBe(0);
});
