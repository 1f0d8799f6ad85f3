/** Programs that npm runs for the operator, in a shell of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, jest } from '@jest/globals';
import { freePort } from '../../src/postgres/free_port.ts';
import { childrenOf, isRunning, onLinux } from '../kit/proc.ts';
import { until } from '../kit/wait.ts';

// Whole processes are started, on machines that may be busy.
jest.setTimeout(60_000);

const root = fileURLToPath(new URL('../..', import.meta.url));
const started: ChildProcess[] = [];
afterAll(() => {
  for (const { pid = 0, exitCode, signalCode } of started) {
    if (exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL');
  }
});

const descendantsOf = (pid: number): number[] =>
  childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);

/** `crm webhook listen`, once it listens: npm and everything below it. */
async function listening(shell: string): Promise<{ npm: ChildProcess; pids: readonly number[] }> {
  const port = String(await freePort());
  const npm = spawn('npm', ['run', 'crm', '--', 'webhook', 'listen', '--port', port], {
    cwd: root,
    env: { ...process.env, npm_config_script_shell: shell },
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  started.push(npm);
  let said = '';
  npm.stderr?.on('data', (chunk) => {
    said += String(chunk);
  });
  await until(
    async () => said.includes(`:${port}`),
    (isSo) => isSo,
    30_000,
  );
  const { pid = 0 } = npm;
  return { npm, pids: descendantsOf(pid) };
}

onLinux.each(['sh', 'bash'])(
  'SIGTERM to npm ends what `npm run crm` runs, under %s',
  async (shell) => {
    const { npm, pids } = await listening(shell);
    expect(pids.length).toBeGreaterThan(0);
    const exit = once(npm, 'exit');
    npm.kill('SIGTERM');
    await exit;
    const left = await until(
      async () => pids.filter(isRunning),
      (running) => running.length === 0,
      5000,
    );
    expect(left).toEqual([]);
  },
);
