/** The processes that are measured, and what they cost. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../src/postgres/free_port.ts';
import { on } from './cores.ts';
import { headersOf, type Request } from './operations/operation.ts';

const { scripts }: { scripts: { start: string } } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
);

type Scheme = 'http' | 'https';

export interface Target {
  readonly name: string;
  readonly scheme: Scheme;
  readonly port: number;
  readonly process: ChildProcess;
}

/** The service as `npm start` runs it. */
export const serviceProgram: readonly string[] = scripts.start.replace(/^.*\bnode /, '').split(' ');

/** The options of Node there, for whatever is compared with it. */
const nodeFlags = serviceProgram.filter((arg) => arg.startsWith('--'));

/** What the service is measured against. */
export const referenceProgram: readonly string[] = [
  ...nodeFlags,
  '--import',
  'tsx',
  'test/bench/reference.ts',
];

// What interrupts this process does not reach its targets, and without a listener it could not end them.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => process.exit(1));
}

/**
 * Starts a program and waits until its port answers. It leads a session: by default Linux divides the processor
 * among sessions, and PostgreSQL starts one for each connection. In ours it would have to share with the load
 * what each of these has alone.
 * @param options `heard` is called with what it writes to its output; `log`: the file that what it logs
 *   is appended to, else it shows among our own; `cores` that it is to use alone
 */
export async function startTarget(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  {
    heard,
    log,
    cores,
    scheme = 'https',
  }: {
    readonly heard?: (text: string) => void;
    readonly log?: string;
    readonly cores?: string | undefined;
    readonly scheme?: Scheme;
  } = {},
): Promise<Target> {
  const port = await freePort();
  const command = [process.execPath, ...args];
  const [program = '', ...rest] = cores === undefined ? command : on(cores, command);
  const child = spawn(program, rest, {
    detached: true,
    env: { ...process.env, ...env, PORT: String(port) },
    stdio: [
      'ignore',
      heard ? 'pipe' : 'ignore',
      log === undefined ? 'inherit' : openSync(log, 'a'),
    ],
  });
  const end = () => child.kill();
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
  child.stdout?.setEncoding('utf8').on('data', heard ?? (() => undefined));
  for (let attempt = 0; attempt < 300; attempt++) {
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}`);
    const asked = send(port, { method: 'GET', path: '/' }, '', scheme);
    const answered = await asked.catch(() => undefined);
    if (answered) return { name, scheme, port, process: child };
    await sleep(100);
  }
  throw new Error(`${name} does not answer`);
}

const senders = {
  http: { agent: new HttpAgent({ keepAlive: true }), ask: httpRequest },
  https: { agent: new Agent({ keepAlive: true, rejectUnauthorized: false }), ask: httpsRequest },
};

/** Ends it and waits for its end. */
export async function stopTarget({ process: child }: Target): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill();
  await ended;
}

/** One request, for comparing answers. */
export function send(
  port: number,
  request: Request,
  token: string,
  scheme: Scheme = 'https',
): Promise<{ status: number; text: string }> {
  const { method, path, body } = request;
  const { agent, ask } = senders[scheme];
  return new Promise((resolve, reject) => {
    const headers = headersOf(request, token);
    const call = ask({ agent, port, method, path, headers }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString() }),
      );
    });
    call.on('error', reject);
    call.end(body);
  });
}

/** Linux counts processor time in hundredths of a second. */
const tick = 10;

/** Processor time of a process so far, in milliseconds. */
export const cpuOf = (pid: number): number => cpuIn(statOf(pid));

/** The same of the thread alone that runs its JavaScript. */
export const cpuOfMainThread = (pid: number): number => cpuIn(statOf(`${pid}/task/${pid}`));

const cpuIn = (fields: readonly string[]) => (Number(fields[11]) + Number(fields[12])) * tick;

/** System calls of a process so far that read and that wrote, and bytes that were written. */
export function callsOf(pid: number): { reads: number; writes: number; written: number } {
  const io = readFileSync(`/proc/${pid}/io`, 'utf8');
  const of = (name: string) => Number(new RegExp(`^${name}: (\\d+)`, 'm').exec(io)?.[1]);
  return { reads: of('syscr'), writes: of('syscw'), written: of('wchar') };
}

/** The process that answers: of the service its worker, for the one that was started only watches it. */
export function answeringOf({ name, process: { pid = 0 } }: Target): number {
  return (name === 'service' ? childrenOf(pid)[0] : undefined) ?? pid;
}

/** The processor time of all children of a process, those that ended included. */
export function cpuBeneath(pid: number): number {
  const alive = childrenOf(pid).map(cpuIfAlive);
  // After the others, for one that has ended since is counted here.
  const ended = statOf(pid);
  return alive.reduce((sum, ms) => sum + ms, (Number(ended[13]) + Number(ended[14])) * tick);
}

function cpuIfAlive(pid: number): number {
  try {
    return cpuOf(pid);
  } catch {
    return 0;
  }
}

export const childrenOf = (pid: number): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((child) => parentOf(child) === pid);

/** Resident memory in MiB, that of its children included. */
export function memoryOf(pid: number): number {
  return [pid, ...childrenOf(pid)].reduce((sum, one) => sum + residentOf(one), 0);
}

function residentOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

/** The other ends of the connections to a port of ours that a process holds. */
export function peersOf(pid: number, port: number): Set<number> {
  const sockets = new Set(
    readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`)),
  );
  const peers = readFileSync('/proc/net/tcp', 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter(
      ([, local = '', , , , , , , , inode]) =>
        portOf(local) === port && sockets.has(`socket:[${inode}]`),
    )
    .map(([, , remote = '']) => portOf(remote));
  // A listener's other end is nobody.
  return new Set(peers.filter((peer) => peer > 0));
}

const portOf = (address: string) => Number.parseInt(address.split(':')[1] ?? '', 16);

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    // Closed since it was listed.
    return '';
  }
}

/** Fields of the stat of a process or thread after the program's name, which may hold anything. */
function statOf(of: number | string): string[] {
  const stat = readFileSync(`/proc/${of}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(statOf(pid)[1]);
  } catch {
    return undefined;
  }
}
