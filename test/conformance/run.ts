/**
 * `npm run test:conformance`: the conformance suite of the Model Context Protocol, as far as it concerns a server that
 * has tools alone, in both eras of the protocol. npm brings the suite, and the Node that it wants, into a folder that is
 * removed in the end. Exits with 1 when something fails.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onDemoService } from '../kit/demo_service.ts';
import { install, nodeIn, nodePackage } from '../kit/npm.ts';
import { check } from '../kit/verdict.ts';
import { Doorway } from './doorway.ts';

const run = promisify(execFile);

const suite = '@modelcontextprotocol/conformance';
const suiteVersion = '0.2.0-alpha.12';
const nodeVersion = '24';

/** By revisions of the protocol. The others are of resources, prompts, and tools that only a server for the suite has. */
const scenarios: Readonly<Record<string, readonly string[]>> = {
  '2025-11-25': [
    'server-initialize',
    'ping',
    'tools-list',
    'server-sse-multiple-streams',
    'dns-rebinding-protection',
  ],
  '2026-07-28': [
    'server-stateless',
    'tools-list',
    'server-sse-multiple-streams',
    'dns-rebinding-protection',
    'http-header-validation',
  ],
};

const folder = await mkdtemp(join(tmpdir(), 'crm-conformance-'));
const program = join(folder, 'node_modules', suite, 'dist', 'index.js');

/** What a scenario looked at. */
interface Finding {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

const outcomeOf = ({ status, errorMessage = '' }: Finding): string =>
  errorMessage.startsWith('Not testable') ? 'of tools of the suite' : status.toLowerCase();

/**
 * Runs a scenario.
 * @returns how many of its checks had which outcome; a warning is no failure: without sessions, which a server need not
 *   have, the suite leaves some out
 * @throws {Error} with what failed
 */
async function runScenario(url: string, revision: string, scenario: string): Promise<string> {
  const results = join(folder, `${revision} ${scenario}`);
  const options = ['--scenario', scenario, '--spec-version', revision, '--output-dir', results];
  // It ends with 1 for findings that do not count here, too.
  const end = run(nodeIn(folder), [program, 'server', '--url', url, ...options], { cwd: folder });
  const trouble = await end.then(
    () => '',
    (error: unknown) => String(Object(error).stderr || error),
  );
  const [place = ''] = await readdir(results).catch(() => []);
  const text = await readFile(join(results, place, 'checks.json'), 'utf8').catch(() => '[]');
  const findings: readonly Finding[] = JSON.parse(text);
  if (findings.length === 0) throw new Error(`the suite checked nothing. ${trouble}`);
  const failures = findings.filter((one) => outcomeOf(one) === 'failure');
  if (failures.length > 0) {
    throw new Error(failures.map(({ id, errorMessage }) => `${id}: ${errorMessage}`).join('\n'));
  }
  const outcomes = findings.map(outcomeOf);
  return [...new Set(outcomes)]
    .map((outcome) => `${outcomes.filter((one) => one === outcome).length} ${outcome}`)
    .join(', ');
}

const doorway = await Doorway.open();
try {
  console.log('        npm installs the suite');
  await install(folder, [`${suite}@${suiteVersion}`, `${nodePackage}@${nodeVersion}`]);
  await onDemoService(join(folder, 'data'), {}, async (service) => {
    doorway.leadTo(service);
    for (const [revision, names] of Object.entries(scenarios)) {
      for (const name of names) {
        await check(`${revision} ${name}`, () => runScenario(doorway.url, revision, name));
      }
    }
  });
} finally {
  doorway.close();
  await rm(folder, { recursive: true, force: true });
}
