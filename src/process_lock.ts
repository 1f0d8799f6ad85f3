import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Whether it is an error of the system with this code. */
export const hasCode = (error: unknown, code: string): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === code;

/** Whether a process of this number lives, of whatever user. */
export function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}

/**
 * What tells a process from a later one of the same number, which a container gives again at
 * each start: number and, where the system tells it, moment of its start.
 */
export function identityOf(pid: number): string {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return `${pid} ${fields[19] ?? ''}`;
  } catch {
    return `${pid}`;
  }
}

/** Whether the process lives that {@link identityOf} described. */
export function livesStill(identity: string): boolean {
  const pid = Number(identity.split(' ')[0]);
  return isAlive(pid) && identityOf(pid) === identity;
}

/**
 * Runs `work` while no other process of this machine holds the lock file. A file that a killed
 * process left behind counts for nothing.
 * @param path the file, which says who holds it
 */
export async function withProcessLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  while (!take(path)) {
    discardOfDead(path);
    await sleep(50);
  }
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

const aside = (path: string) => `${path}.${process.pid}`;

/** A link appears with its content or not at all, so nobody reads a lock half written. */
function take(path: string): boolean {
  writeFileSync(aside(path), identityOf(process.pid), { mode: 0o600 });
  try {
    linkSync(aside(path), path);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    rmSync(aside(path));
  }
}

function discardOfDead(path: string): void {
  try {
    if (livesStill(readFileSync(path, 'utf8'))) return;
    // A rename succeeds for one process only, however many saw the dead owner.
    renameSync(path, aside(path));
    rmSync(aside(path));
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}
