import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Whether this is a system error with this code. */
export const hasCode = (error: unknown, code: string): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === code;

/** Whether a process with this id is alive, whoever owns it. */
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
 * Identifies a process even after its id was reused, as containers do at each start: the id and,
 * where the system provides it, the time it started.
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

/** Whether the process that {@link identityOf} described is still alive. */
export function livesStill(identity: string): boolean {
  const pid = Number(identity.split(' ')[0]);
  return isAlive(pid) && identityOf(pid) === identity;
}

/**
 * Runs `work` while no other process of this machine holds the lock file. A file that a killed
 * process left behind is ignored.
 * @param path of the file, which says who holds the lock
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

/** A link appears with its content or not at all, so nobody reads a half-written lock. */
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
    // Of all processes that saw the dead owner, the rename succeeds for one.
    renameSync(path, aside(path));
    rmSync(aside(path));
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}
