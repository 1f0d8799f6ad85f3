import { readFile, readlink, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode, isAlive } from '../lib/process_lock.ts';
import { readIfThere } from '../lib/secret_file.ts';

export interface Postmaster {
  readonly pid: number;
  readonly port: number;
}

/** PostgreSQL writes its process id, port and state into a file in its cluster's directory. */
const pidFile = (cluster: string) => join(cluster, 'postmaster.pid');

/**
 * The PostgreSQL that runs on a cluster's directory. Waits while it starts or stops.
 * @returns undefined when none runs, whatever the file of a killed one says
 */
export async function findPostmaster(cluster: string): Promise<Postmaster | undefined> {
  for (;;) {
    const lines = await readLines(cluster);
    const pid = Number(lines[0]);
    if (!(await runsOn(cluster, pid))) return undefined;
    const port = Number(lines[3]);
    if (lines[7]?.trim() === 'ready' && port > 0) return { pid, port };
    await sleep(50);
  }
}

/** Removes the file of a PostgreSQL that was killed, which could keep the next from starting. */
export async function forgetPostmaster(cluster: string): Promise<void> {
  await rm(pidFile(cluster), { force: true });
}

/**
 * Asks it to end its sessions and write everything to disk, and waits four seconds for that. If it
 * needs longer it is left to finish: killing it would cost the next start a recovery.
 */
export async function stopPostmaster(cluster: string): Promise<void> {
  const pid = Number((await readLines(cluster))[0]);
  if (!(await runsOn(cluster, pid))) return;
  interrupt(pid);
  const end = Date.now() + 4000;
  while (isAlive(pid) && (await readLines(cluster)).length > 0 && Date.now() < end) await sleep(20);
}

function interrupt(pid: number): void {
  try {
    process.kill(pid, 'SIGINT');
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}

const readLines = async (cluster: string): Promise<string[]> =>
  (await readIfThere(pidFile(cluster)))?.split('\n') ?? [];

/** Process ids are soon reused, especially in containers. */
async function runsOn(cluster: string, pid: number): Promise<boolean> {
  if (!isAlive(pid)) return false;
  if (process.platform !== 'linux') return true;
  try {
    return (await readlink(`/proc/${pid}/cwd`)) === (await realpath(cluster));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    if (!hasCode(error, 'EACCES')) throw error;
    // Root in a container may not look into another user's process, but may read its name.
    return (await readFile(`/proc/${pid}/comm`, 'utf8')).trim() === 'postgres';
  }
}
