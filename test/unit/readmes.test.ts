/** What the README, the guides and the papers for maintainers name is there, and they stay short. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import type { Command } from 'commander';
import { parse as parseGraphql } from 'graphql';
import { allBlocksOf, guides, textOf } from '../kit/guides.ts';
import { shipped } from '../kit/shared.ts';

const { program } = await shipped<typeof import('../../src/cli/program.ts')>('cli/program.js');

const root = fileURLToPath(new URL('../../', import.meta.url));
const { scripts }: { scripts: Readonly<Record<string, string>> } = JSON.parse(
  textOf('package.json'),
);

const readmes = [
  'README.md',
  'prisma/README.md',
  'src/README.md',
  'src/console/README.md',
  'src/deploy/README.md',
  'src/search/README.md',
  'test/README.md',
];
const all = [...readmes, ...guides];

/** Without blocks of code, which show commands and tables of other things. */
const proseOf = (file: string) => textOf(file).replaceAll(/^ *```.*?^ *```/gms, '');
const lines = (text: string) => text.trimEnd().split('\n');
const matchesOf = (text: string, expression: RegExp): readonly string[] =>
  [...text.matchAll(expression)].map(([, found = '']) => found);

/** Files and folders, and no addresses of the service; a name alone may stand for many files. */
const paths = /`(\w[\w.]*\/[\w./]*)`/g;
const built = /^(dist|(src\/)?generated)\//;
const isThere = (place: string, path: string) => existsSync(join(root, place, path));

test.each(all)('every file that %s names is there', (file) => {
  const missing = matchesOf(proseOf(file), paths).filter(
    (path) => !built.test(path) && !['', dirname(file)].some((place) => isThere(place, path)),
  );
  expect(missing).toEqual([]);
});

/** Where the links of a file lead, as paths from the root. */
const linksOf = (file: string): readonly string[] =>
  matchesOf(proseOf(file), /\]\((?!https?:)([^)#]+)[^)]*\)/g).map((link) =>
    join(dirname(file), link),
  );

test.each(all)('every link of %s leads to a file', (file) => {
  expect(linksOf(file).filter((link) => !isThere('', link))).toEqual([]);
});

/** The commands of the service that a file shows, as the words that follow `crm`. */
const commandsOf = (file: string): readonly string[] =>
  matchesOf(textOf(file), /(?:npm run (?:--silent )?crm -- |`crm )([^`\n|;&]+)/g).filter(
    (words) => !words.startsWith('<'),
  );

/** Which of its words the command line does not know. */
function unknownWords(words: string): readonly string[] {
  let command: Command = program;
  for (const word of words.split(' ')) {
    const next = command.commands.find((each) => each.name() === word);
    if (!next) break;
    command = next;
  }
  if (command === program) return words.startsWith('--') ? [] : [words];
  return matchesOf(words, /(?<=\s)(--[\w-]+)/g).filter(
    (option) => option !== '--help' && !command.options.some(({ long }) => long === option),
  );
}

test.each(all)('every command that %s shows is known, with its options', (file) => {
  expect(commandsOf(file).flatMap(unknownWords)).toEqual([]);
  const called = matchesOf(textOf(file), /npm run (?:--silent )?(\w[\w:-]*)/g);
  expect(called.filter((script) => scripts[script] === undefined)).toEqual([]);
});

test.each(guides)('the blocks of %s are written correctly', (file) => {
  for (const { language, code } of allBlocksOf(file)) {
    if (language === 'json') expect(() => JSON.parse(code)).not.toThrow();
    if (language === 'graphql') expect(() => parseGraphql(code)).not.toThrow();
    if (language === 'sh') expect(spawnSync('sh', ['-n', '-c', code]).stderr.toString()).toBe('');
  }
});

test('the README has 250 lines at most, and a guide 200', () => {
  expect(lines(textOf('README.md')).length).toBeLessThanOrEqual(250);
  expect(guides.filter((guide) => lines(textOf(guide)).length > 200)).toEqual([]);
});

test('every guide is linked from the README or from the list of guides', () => {
  const index = 'src/docs/README.md';
  const linked = new Set([...linksOf('README.md'), ...linksOf(index)]);
  expect(guides.filter((guide) => !linked.has(guide))).toEqual([]);
});

test('the glossary has 25 words at most', () => {
  const rows = lines(textOf('src/docs/glossary.md')).filter((line) => line.startsWith('| '));
  expect(rows.length - 1).toBeLessThanOrEqual(25);
});

const namesFunctions = ['src/README.md', ...guides.filter((file) => /explanation/.test(file))];

test('every function that is named beside a file is in it', () => {
  const named = namesFunctions.flatMap((file) => [
    ...proseOf(file).matchAll(/`([\w.]+)`\s+(?:in\s+|\()`([\w./]+\.ts)`/g),
  ]);
  const missing = named.filter(([, name = '', file = '']) =>
    name
      .split('.')
      .some((part) => !new RegExp(`\\b${part}\\b`).test(readFileSync(join(root, file), 'utf8'))),
  );
  expect(named.length).toBeGreaterThan(30);
  expect(missing.map(([text]) => text)).toEqual([]);
});
