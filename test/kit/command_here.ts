/** The command line without a process of its own: the same commands a hundred times faster. */
import process from 'node:process';
import { Readable } from 'node:stream';
import type * as passwords from '../../src/auth/passwords.ts';
import type * as cli from '../../src/cli/run.ts';
import { passwordCost } from './app_under_test.ts';
import type { Outcome } from './command.ts';
import { shipped } from './shipped.ts';

export interface Surroundings {
  /** What it reads from standard input; nothing unless given. */
  readonly input?: string;
  /** In the place of Node's. */
  readonly fetch?: typeof fetch;
}

/** Runs `crm` to its end in this process, one command after the other. */
export async function runHere(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  { input = '', fetch = globalThis.fetch }: Surroundings = {},
): Promise<Outcome> {
  const { run } = await shipped<typeof cli>('cli/run.js');
  const { setPasswordCost } = await shipped<typeof passwords>('auth/passwords.js');
  const { stdout, stderr } = process;
  const before = { env: process.env, fetch: globalThis.fetch };
  const written = { out: '', err: '' };
  const noting =
    (name: keyof typeof written): typeof stdout.write =>
    (text: string | Uint8Array) => {
      written[name] += String(text);
      return true;
    };
  const restores = [
    replaced(stdout, 'write', noting('out')),
    replaced(stderr, 'write', noting('err')),
    // A process that ends need not take back what it listens for.
    replaced(stdout, 'once', () => stdout),
    replaced(process, 'stdin', Readable.from([input])),
  ];
  process.env = { ...before.env, ...env };
  globalThis.fetch = fetch;
  try {
    await run(args);
    return { code: Number(process.exitCode ?? 0), ...written };
  } finally {
    process.exitCode = undefined;
    // A process has one cost for all that hash in it, and services of other tests do.
    setPasswordCost(passwordCost);
    process.env = before.env;
    globalThis.fetch = before.fetch;
    for (const restore of restores.reverse()) restore();
  }
}

/** Puts something in the place of a property: how to take it back. */
function replaced(of: object, name: string, value: unknown): () => void {
  const own = Object.getOwnPropertyDescriptor(of, name);
  Object.defineProperty(of, name, { value, configurable: true, writable: true });
  return () => {
    if (own) Object.defineProperty(of, name, own);
    else Reflect.deleteProperty(of, name);
  };
}
