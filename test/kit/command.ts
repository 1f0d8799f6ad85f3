/** The command line as its operators use it: a process of its own. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** The program. */
export const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

export interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/**
 * Runs `crm` to its end.
 * @param input what it reads from standard input
 */
export async function runCommand(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  input = '',
): Promise<Outcome> {
  const child = spawn(process.execPath, [main, ...args], { env: { ...process.env, ...env } });
  const code = new Promise<number | null>((resolve) => {
    child.on('close', resolve);
  });
  // It may end before it reads.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, out, err };
}
