/**
 * `npm run test:node -- 24`: the suite under another Node, whose program npm brings. What follows the version
 * is passed on: `npm run test:node -- 22 unit/json`.
 */
import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import process from 'node:process';

const [version, ...rest] = process.argv.slice(2);
if (!/^\d+(\.\d+){0,2}$/.test(version ?? '')) {
  process.stderr.write('Name a version of Node: npm run test:node -- 24\n');
  process.exit(1);
}

/** Runs a program and ends with it when it fails. */
function run(program, args, env = {}) {
  const { status, error } = spawnSync(program, args, {
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

const system = process.platform === 'win32' ? 'win' : process.platform;
const directory = join(import.meta.dirname, '..', 'node_modules', '.cache', `node-${version}`);
const brought = `node-${system}-${process.arch}`;
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
run(npm, [
  'install',
  '--no-save',
  '--no-audit',
  '--no-fund',
  '--prefix',
  directory,
  `${brought}@${version}`,
]);
const PATH = [join(directory, 'node_modules', brought, 'bin'), process.env.PATH].join(delimiter);
run('node', ['--version'], { PATH });
run(npm, ['test', '--', ...rest], { PATH });
