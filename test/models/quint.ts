/** Quint, the language of the models: npm installs it where it is first wanted, and never with the service. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

const version = '0.33.0';

/** A dependency of Quint asks for a version of this that npm refuses beside others. */
const overrides = { antlr4ts: '0.5.0-alpha.4' };

const folder = fileURLToPath(
  new URL(`../../node_modules/.cache/quint-${version}`, import.meta.url),
);
const program = join(folder, 'node_modules/@informalsystems/quint/dist/src/cli.js');

async function install(): Promise<void> {
  if (existsSync(program)) return;
  await mkdir(folder, { recursive: true });
  const dependencies = { '@informalsystems/quint': version };
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ private: true, dependencies, overrides }),
  );
  await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: folder });
}

let installed: Promise<void> | undefined;

/** Random walks through a model. */
export interface Walks {
  /** The file's name without its ending. */
  readonly model: string;
  /** The module in it that says which of the code's lines are there. */
  readonly variant: string;
  readonly seed: number;
  readonly walks: number;
  readonly steps: number;
  /** Files to write walks to, with `{seq}` for a number, and how many. */
  readonly traces?: { readonly to: string; readonly count: number };
}

/**
 * Walks through a model at random, and looks after each step whether its promise holds.
 * @returns what Quint printed, and whether the promise held
 * @throws {Error} for a model that cannot be read
 */
export async function walk({ model, variant, seed, walks, steps, traces }: Walks) {
  await (installed ??= install());
  const file = fileURLToPath(new URL(`./${model}.qnt`, import.meta.url));
  const options = {
    main: variant,
    backend: 'typescript',
    invariant: 'promise',
    seed,
    verbosity: 2,
    'max-samples': walks,
    'max-steps': steps,
    ...(traces && { mbt: true, 'out-itf': traces.to, 'n-traces': traces.count }),
  };
  const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
  const asked = run(process.execPath, [program, 'run', file, ...args], { maxBuffer: 2 ** 26 });
  const { stdout, stderr } = await asked.catch((error: unknown) => {
    const { stdout = '', stderr = '' }: { stdout?: string; stderr?: string } = Object(error);
    return { stdout, stderr };
  });
  const text = stdout + stderr;
  const holds = text.includes('[ok] No violation found');
  if (!holds && !text.includes('[violation] Found an issue')) throw new Error(text);
  return { text, holds };
}
