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

test("Prisma's command line, and what it brings, is not installed where the service only runs", () => {
  const { packages } = lock.parse(JSON.parse(text));
  const running = Object.entries(packages)
    .filter(([, { dev = false }]) => !dev)
    .map(([path, { name = path.split('node_modules/').at(-1) }]) => name);
  expect(running).toEqual(expect.arrayContaining(['@prisma/client', 'pg', 'fastify']));
  const tools = ['prisma', '@prisma/dev', '@prisma/studio-core', 'effect', 'mysql2', 'postgres'];
  expect(running.filter((name = '') => tools.includes(name))).toEqual([]);
});
