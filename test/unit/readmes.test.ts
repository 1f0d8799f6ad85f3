/** What the READMEs name is there. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** Without blocks of code, which show commands and tables of other things. */
const proseOf = (file: string) => read(file).replaceAll(/^```.*?^```/gms, '');

const readmes = [
  'README.md',
  'prisma/README.md',
  'src/README.md',
  'src/search/README.md',
  'test/README.md',
];

/** Files and folders, and no addresses of the service; a name alone may stand for many files. */
const paths = /`(\w[\w.]*\/[\w./]*)`/g;
const built = /^(dist|src\/generated)\//;

test.each(readmes)('every file that %s names is there', (readme) => {
  const named = [...proseOf(readme).matchAll(paths)].map(([, path = '']) => path);
  const missing = named.filter(
    (path) =>
      !built.test(path) && !['', dirname(readme)].some((at) => existsSync(join(root, at, path))),
  );
  expect(missing).toEqual([]);
});

test('every function that src/README.md names is in the file that it names beside it', () => {
  const named = [...proseOf('src/README.md').matchAll(/`([\w.]+)`\s+(?:in\s+|\()`([\w./]+\.ts)`/g)];
  const missing = named.filter(([, name = '', file = '']) =>
    name.split('.').some((part) => !new RegExp(`\\b${part}\\b`).test(read(file))),
  );
  expect(named.length).toBeGreaterThan(30);
  expect(missing.map(([all]) => all)).toEqual([]);
});
