/** What the README, the guides and the papers for maintainers name is there, and they stay short. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import type { Command } from 'commander';
import { parse as parseGraphql } from 'graphql';
import yaml from 'js-yaml';
import { z } from 'zod';
import { allBlocksOf, blocksOf, guides, textOf } from '../kit/guides.ts';
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

/** What Prometheus takes, of which the guide shows no more. */
const scraping = z.strictObject({
  scrape_configs: z.array(
    z.strictObject({
      job_name: z.string(),
      scrape_interval: z.string().regex(/^\d+s$/),
      static_configs: z.array(z.strictObject({ targets: z.array(z.string()) })),
    }),
  ),
  rule_files: z.array(z.string()),
});

/** Who runs the blocks of a guide in a language; `contract/guides.test.ts` sends all requests and documents. */
const runners: Readonly<Record<string, string>> = {
  'api/agents.md json': 'contract/guide_answers.test.ts',
  'api/bulk.md json': 'contract/guide_answers.test.ts',
  'api/changes-feed.md sql': 'contract/guides.test.ts',
  'api/errors.md json': 'contract/guide_answers.test.ts',
  'api/figures.md js': 'contract/graphql_clients.test.ts',
  'api/figures.md json': 'contract/graphql_clients.test.ts',
  'api/finding.md json': 'contract/guide_answers.test.ts',
  'api/pagination.md json': 'contract/guide_answers.test.ts',
  'api/sessions.md sh': 'process/guides.long.ts',
  'api/tokens.md sh': 'process/guides.long.ts',
  'api/webhooks.md json': 'contract/guide_answers.test.ts',
  'how-to/alerts.md yaml': 'unit/readmes.test.ts',
  'how-to/alerts.md sql': 'contract/guides.test.ts',
  'how-to/alerts.md sh': 'process/embedded.long.ts',
  'how-to/backup-restore.md sh': 'process/guides.long.ts',
  'how-to/citus.md sql': 'cluster/citus.ts',
  'how-to/citus.md sh': 'cluster/citus.ts',
  'how-to/erase-a-person.md sh': 'process/guides.long.ts',
  'how-to/erase-a-person.md ini': 'process/embedded.long.ts',
  'how-to/failover.md sh': 'cluster/patroni.ts',
  'how-to/import-csv.md sh': 'process/guides.long.ts',
  'how-to/import-woofed.md sh': 'process/guides.long.ts',
  'how-to/nightly-sync.md js': 'contract/typed_client.long.ts',
  'how-to/operate.md nginx': 'cluster/nginx.cluster.ts',
  'how-to/operate.md sh': 'process/guides.long.ts',
  'how-to/pgbouncer.md sh': 'cluster/pgbouncer.ts',
  'how-to/receive-webhooks.md js': 'process/receivers.test.ts',
  'how-to/receive-webhooks.md python': 'process/receivers.test.ts',
  'how-to/receive-webhooks.md sh': 'process/receivers.test.ts',
  'how-to/rotate-secret.md sh': 'process/guides.long.ts',
  'how-to/trace.md sh': 'process/guides.long.ts',
  'how-to/trace.md json': 'contract/traces.test.ts',
  'how-to/typescript-client.md sh': 'contract/typed_client.long.ts',
  'how-to/typescript-client.md ts': 'contract/typed_client.long.ts',
  'how-to/upgrade.md sh': 'process/guides.long.ts',
  'reference/cli.md sh': 'process/guides.long.ts',
};

test('every block of every guide is run by a test', () => {
  const kinds = guides.flatMap((guide) =>
    allBlocksOf(guide)
      .filter(({ language, code }) => language !== 'graphql' && !code.includes('curl '))
      .map(({ language }) => `${guide.replace('src/docs/', '')} ${language}`),
  );
  expect(Object.keys(runners)).toEqual([...new Set(kinds)]);
  const idle = Object.entries(runners).filter(([kind, test]) => {
    const [guide = ''] = kind.split(' ');
    return !textOf(`test/${test}`).includes(guide);
  });
  expect(idle).toEqual([]);
});

test('Prometheus finds the rules that the guide to alerts names', () => {
  const [shown = ''] = blocksOf('src/docs/how-to/alerts.md', 'yaml');
  const { rule_files, scrape_configs } = scraping.parse(yaml.load(shown));
  expect(rule_files.filter((file) => !isThere('src/deploy', file))).toEqual([]);
  expect(scrape_configs).toHaveLength(1);
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
