/** The processes that are measured, and what they cost. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { Agent, request as httpsRequest } from 'node:https';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Request } from './operations.ts';

export interface Target {
  readonly name: string;
  readonly port: number;
  readonly process: ChildProcess;
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}

/** Starts a program and waits until its port answers. */
export async function startTarget(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Target> {
  const port = await freePort();
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  for (let attempt = 0; attempt < 300; attempt++) {
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}`);
    const answered = await send(port, { method: 'GET', path: '/' }, '').catch(() => undefined);
    if (answered) return { name, port, process: child };
    await sleep(100);
  }
  throw new Error(`${name} does not answer`);
}

const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });

/** One request, for comparing answers. */
export function send(
  port: number,
  { method, path, body }: Request,
  token: string,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const call = httpsRequest({ agent, port, method, path, headers }, (answer) => {
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
export function cpuOf(pid: number): number {
  const fields = statOf(pid);
  return (Number(fields[11]) + Number(fields[12])) * tick;
}

/** The same of all children of a process, those that ended included. */
export function cpuBeneath(pid: number): number {
  const ended = statOf(pid);
  const alive = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && parentOf(Number(name)) === pid)
    .map((name) => cpuOf(Number(name)));
  return alive.reduce((sum, ms) => sum + ms, (Number(ended[13]) + Number(ended[14])) * tick);
}

/** Resident memory in MiB. */
export function memoryOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

/** Fields of /proc/<pid>/stat after the program's name, which may hold anything. */
function statOf(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(statOf(pid)[1]);
  } catch {
    return undefined;
  }
}
