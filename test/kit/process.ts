/** The service as its operators run it: a process of its own, seen from outside. */
import { type ChildProcess, spawn } from 'node:child_process';
import { type Agent, request } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Demo } from './demo.ts';
import { given } from './environment.ts';
import { childrenOf } from './proc.ts';
import { secret } from './service.ts';
import { until } from './wait.ts';

export { demo } from './shared.ts';
export type { Demo };

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A process that has said that it listens. */
export interface ServiceProcess {
  readonly pid: number;
  readonly url: string;
  readonly port: number;
  /** Its exit code and the signal that killed it. */
  readonly exit: Promise<readonly [number | null, NodeJS.Signals | null]>;
}

const started = new Set<ChildProcess>();

export interface ProcessOptions {
  /** How many files and sockets it may have open, where that is less than usual. */
  readonly descriptors?: number;
  /** Where the version is that runs, if not here. */
  readonly version?: string;
  /** After how many milliseconds a frozen worker is killed, if that is not to be as usual. */
  readonly patience?: number;
  /** Called with what it writes to its log, which else shows among the output of the tests. */
  readonly onLog?: (text: string) => void;
}

/** Starts the service on a demo's database, with one worker unless `env` says otherwise. */
export const startProcess = (
  { database }: Pick<Demo, 'database'>,
  env: NodeJS.ProcessEnv = {},
  { descriptors, version = root, patience, onLog }: ProcessOptions = {},
): Promise<ServiceProcess> =>
  startProgram({
    program: descriptors === undefined ? process.execPath : '/bin/sh',
    args: [
      ...(descriptors === undefined
        ? []
        : ['-c', `ulimit -n ${descriptors} && exec "$0" "$@"`, process.execPath]),
      patience === undefined
        ? join(version, 'dist', 'main.js')
        : join(root, 'test', 'kit', 'impatient.mjs'),
    ],
    env: {
      PORT: '0',
      DATA_DIR: join(given('CRM_TEST_DIRECTORY'), 'process'),
      DATABASE_URL: database.url,
      JWT_SECRET: secret,
      TLS_CERT_FILE: given('CRM_TEST_CERT'),
      TLS_KEY_FILE: given('CRM_TEST_KEY'),
      WORKERS: '1',
      ...(patience === undefined ? {} : { TEST_PATIENCE: String(patience) }),
      ...env,
    },
    onLog,
  });

/** For the environment of a process: it and its workers each freeze at SIGUSR2. */
export const freezing = {
  NODE_OPTIONS: `--import=${new URL('freezing.mjs', import.meta.url).href}`,
};

/** `npm start` in a group of its own, as a shell runs it. */
export const npmStart = (env: NodeJS.ProcessEnv): Promise<ServiceProcess> =>
  startProgram({ program: 'npm', args: ['start'], env, detached: true });

/** Commands of a shell, of which the last starts the service, in a group of their own. */
export const startByShell = (commands: string, env: NodeJS.ProcessEnv): Promise<ServiceProcess> =>
  startProgram({ program: 'sh', args: ['-ec', commands], env, detached: true });

interface Program {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly detached?: boolean;
  readonly onLog?: ((text: string) => void) | undefined;
}

/** Starts a program and waits until it says that the service listens. */
async function startProgram({
  program,
  args,
  env,
  detached = false,
  onLog,
}: Program): Promise<ServiceProcess> {
  const child = spawn(program, args, {
    cwd: root,
    env: { ...process.env, LOG_LEVEL: 'fatal', ...env },
    detached,
    stdio: ['ignore', 'pipe', onLog ? 'pipe' : 'inherit'],
  });
  child.stderr?.setEncoding('utf8').on('data', onLog ?? (() => undefined));
  started.add(child);
  const exit: ServiceProcess['exit'] = new Promise((resolve) => {
    child.on('exit', (code, signal) => resolve([code, signal]));
  });
  const { pid } = child;
  const url = await Promise.race([banner(child.stdout), exit]);
  if (pid === undefined || !(url instanceof URL)) throw new Error(`${program} ended with ${url}`);
  return { pid, url: url.origin, port: Number(url.port), exit };
}

/** Where a process says that it listens; what else it says is read and forgotten. */
function banner(output: Readable | null): Promise<URL> {
  let said = '';
  return new Promise((resolve) => {
    output?.on('data', (chunk) => {
      said += String(chunk);
      const url = /listens on (https?:\S+)\n/.exec(said)?.[1];
      if (url !== undefined) resolve(new URL(url));
    });
  });
}

/** Kills all processes of a service at once, as a machine that fails does. */
export async function killService({
  pid,
  exit,
}: Pick<ServiceProcess, 'pid' | 'exit'>): Promise<void> {
  killTree(pid);
  await exit;
}

function killTree(pid: number): void {
  for (const each of [pid, ...childrenOf(pid)]) process.kill(each, 'SIGKILL');
}

/** Kills whatever a failed test has left of what was started here. */
export function killProcesses(): void {
  for (const { pid, exitCode, signalCode } of started) {
    if (pid !== undefined && exitCode === null && signalCode === null) killTree(pid);
  }
}

/** The process that serves, of a service with one worker. */
export function workerOf({ pid }: Pick<ServiceProcess, 'pid'>): number {
  const [worker] = childrenOf(pid);
  if (worker === undefined) throw new Error('there is no worker');
  return worker;
}

/** The status of one call about the demo's account, on a connection of its own unless an agent has one. */
export function call(
  { port }: Pick<ServiceProcess, 'port'>,
  { accountId, token }: Demo,
  method: string,
  path: string,
  body: object = {},
  agent: Agent | false = false,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        port,
        method,
        path: `/api/v1/accounts/${accountId}${path}`,
        agent,
        signal: AbortSignal.timeout(10_000),
        rejectUnauthorized: false,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      },
      (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode ?? 0));
      },
    );
    sent.on('error', reject);
    // A GET whose body has no length would be followed by what is no request.
    sent.end(method === 'GET' ? undefined : JSON.stringify(body));
  });
}

/** Whether new connections come to be refused within five seconds. */
export async function refusesConnections({ port }: Pick<ServiceProcess, 'port'>): Promise<boolean> {
  const ask = () =>
    new Promise<string>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy();
        resolve('connected');
      });
      socket.on('error', ({ message }) => resolve(message));
    });
  return (await until(ask, (answer) => answer.includes('ECONNREFUSED'), 5000)).includes(
    'ECONNREFUSED',
  );
}

/** Requests that hang in the database, because a test holds what they want to write. */
export const hanging = ({ database }: Demo, count: number): Promise<number> =>
  database.blocked(count);
