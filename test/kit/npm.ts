/** Packages that npm brings into a folder of a test's own, where the project and its lock know nothing of them. */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const system = process.platform === 'win32' ? 'win' : process.platform;

/** The package that holds Node, in all its versions. */
export const nodePackage = `node-${system}-${process.arch}`;

/** The program of that package, where it was installed. */
export const nodeIn = (folder: string): string =>
  join(folder, 'node_modules', nodePackage, 'bin', 'node');

/** On a busy machine a large installation takes ten minutes. */
const patienceMs = 900_000;

/**
 * Makes a project with nothing in it, and installs packages there.
 * @param options of npm, beside those that every project has
 */
export async function install(
  folder: string,
  packages: readonly string[],
  options: readonly string[] = [],
): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts'];
  await run('npm', ['install', ...quiet, ...options, ...packages], {
    cwd: folder,
    timeout: patienceMs,
  });
}
