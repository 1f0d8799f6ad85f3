/** What `npm pack` makes: the program with what it reads at run time, and nothing else of the project. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { z } from 'zod';

const root = fileURLToPath(new URL('../../', import.meta.url));
const packed = z.array(z.object({ files: z.array(z.object({ path: z.string() })) }));

test('the package holds the built program, the schema and the migrations, and no sources', () => {
  const text = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [one] = packed.parse(JSON.parse(text));
  const paths = one?.files.map(({ path }) => path) ?? [];
  expect(paths).toEqual(
    expect.arrayContaining([
      'package.json',
      'schema.graphql',
      'prisma/schema.prisma',
      'dist/main.js',
      'dist/cli/main.js',
      'dist/client.tgz',
      'dist/docs/guides.json',
      'dist/console/entry.json',
      'dist/http/pages/swagger-ui.js',
      'dist/rest/fragments.graphql',
    ]),
  );
  expect(paths.some((path) => /^prisma\/migrations\/.*\/migration\.sql$/.test(path))).toBe(true);
  expect(paths.filter((path) => /^(src|test|dist\/modules|data)\//.test(path))).toEqual([]);
});
