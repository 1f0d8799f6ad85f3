/** What the embedded PostgreSQL writes about itself: what happens to the server, and nothing that clients sent. */
import { open, rm, stat } from 'node:fs/promises';
import { hasCode } from '../lib/process_lock.ts';

/**
 * Errors of statements are not logged: their messages and details repeat values, which an erasure would not
 * reach, and clients can cause any number of them. The service logs those that it did not expect.
 */
export const logSettings = {
  log_min_messages: 'log',
  // What ends a session is logged, but neither the statement that ran nor its values.
  log_min_error_statement: 'panic',
  log_parameter_max_length: 0,
  log_parameter_max_length_on_error: 0,
  // No details: those of a process that was killed repeat its statement.
  log_error_verbosity: 'terse',
} as const;

/** How large the log may become, and how much of it is then kept in a second file, in bytes. */
const usual = { max: 1024 * 1024, kept: 256 * 1024, everyMs: 5000 };

const olderOf = (path: string) => `${path}.old`;

/**
 * Empties a log, or makes it: what is there may be of a version that logged values.
 * @returns the file, opened so that whoever writes to it does so at its end, also once it has been shortened
 */
export async function beginLog(path: string): Promise<Awaited<ReturnType<typeof open>>> {
  await rm(olderOf(path), { force: true });
  await (await open(path, 'w', 0o600)).close();
  return open(path, 'a');
}

/**
 * Looks now and then whether a log has become too large, and then leaves the end of it in a second file.
 * @returns how to stop
 */
export function boundLog(path: string, bound = usual): () => void {
  let isLooking = false;
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    shorten(path, bound)
      // The disk is full, or another process has done it: the next look will tell.
      .catch(() => undefined)
      .finally(() => (isLooking = false));
  }, bound.everyMs).unref();
  return () => clearInterval(timer);
}

async function shorten(path: string, { max, kept }: typeof usual): Promise<void> {
  const stats = await stat(path).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  });
  if (!stats || stats.size <= max) return;
  const log = await open(path, 'r+');
  try {
    const { buffer, bytesRead } = await log.read(Buffer.alloc(kept), 0, kept, stats.size - kept);
    const older = await open(olderOf(path), 'w', 0o600);
    await older.writeFile(buffer.subarray(0, bytesRead)).finally(() => older.close());
    await log.truncate();
  } finally {
    await log.close();
  }
}
