/** What Linux says about other processes. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { test } from '@jest/globals';

/** A test that looks at other processes, which only Linux shows; elsewhere it is left out. */
export const onLinux = process.platform === 'linux' ? test : test.skip;

/** Whether a process runs; one that has ended and is only waited for does not. */
export function isRunning(pid: number): boolean {
  try {
    // The name of the program, which stands in brackets, may hold anything.
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Processes that a process has started, in the order in which it did; only Linux tells. */
export const childrenOf = (pid: number): number[] =>
  process.platform === 'linux'
    ? readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
        .split(' ')
        .filter((text) => text !== '')
        .map(Number)
    : [];

/** States of a TCP socket, as the kernel writes them. */
const states = { established: '01', listening: '0A' } as const;

/** The ports of this machine that a process has sockets on: one entry a socket, ascending. */
export function portsOf(pid: number, state: keyof typeof states): number[] {
  const ports = new Map<string, number>();
  for (const line of readFileSync(`/proc/${pid}/net/tcp`, 'utf8').split('\n').slice(1)) {
    const [, local = '', , is, , , , , , inode = ''] = line.trim().split(/\s+/);
    if (is === states[state]) ports.set(`socket:[${inode}]`, Number.parseInt(local.slice(-4), 16));
  }
  const open = readdirSync(`/proc/${pid}/fd`).map((fd) => ports.get(linkOf(pid, fd)) ?? 0);
  return open.filter((port) => port !== 0).sort((one, other) => one - other);
}

/** A file may be closed while it is looked at. */
function linkOf(pid: number, fd: string): string {
  try {
    return readlinkSync(`/proc/${pid}/fd/${fd}`);
  } catch {
    return '';
  }
}

/** The memory that a process holds, in megabytes. */
export const residentOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1000;
