/** What others' tools make of the OpenAPI document. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openapi } from '../../src/rest/openapi/document.ts';
import { main } from '../kit/command.ts';

const run = promisify(execFile);

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'openapi '));
});
afterAll(() => rm(directory, { recursive: true }));

/** Problems that Redocly's recommended rules find, warnings among them. */
async function lint(name: string, content: object): Promise<readonly string[]> {
  const file = join(directory, name);
  await writeFile(file, JSON.stringify(content));
  const home = dirname(createRequire(import.meta.url).resolve('@redocly/cli/package.json'));
  const args = [join(home, 'bin/cli.js'), 'lint', file, '--extends=recommended', '--format=json'];
  const env = {
    ...process.env,
    REDOCLY_TELEMETRY: 'off',
    REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
  };
  const { stdout } = await run(process.execPath, args, { cwd: directory, env }).catch(
    (failed: { stdout: string }) => failed,
  );
  const { problems }: { problems: { ruleId: string; message: string }[] } = JSON.parse(stdout);
  return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`);
}

test('Redocly finds nothing to say of the document, and would say it', async () => {
  expect(await lint('openapi.json', openapi())).toEqual([]);
  const broken = await lint('broken.json', { ...openapi(), security: [{ unknown: [] }] });
  expect(broken).toContainEqual(expect.stringContaining('security-defined'));
}, 60_000);

test('the command line prints it whole into a pipe', async () => {
  const { stdout } = await run(process.execPath, [main, 'openapi'], { maxBuffer: 1 << 26 });
  expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(openapi())));
}, 60_000);
