import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasCode, withProcessLock } from './process_lock.ts';

/** The text of a file; undefined when there is none. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/**
 * Writes a file that nobody ever finds half of, nor with what an older file let others read, because it
 * is renamed into place.
 */
export async function replaceFile(path: string, text: string, mode = 0o600): Promise<void> {
  await rm(`${path}.new`, { force: true });
  await writeFile(`${path}.new`, text, { mode, flush: true });
  await rename(`${path}.new`, path);
}

/**
 * Something that is made once and kept in a file that only its owner may read. Of several processes
 * that want it at once, one makes it.
 * @param path the file; its directory is created when missing
 * @param read reads the text of the file; undefined when it has to be made anew
 * @param make makes the text
 * @param mode who else may read it
 */
export async function readOrCreate<T>(
  path: string,
  read: (text: string) => T | undefined,
  make: () => string | Promise<string>,
  mode = 0o600,
): Promise<T> {
  await mkdir(dirname(path), { recursive: true });
  return withProcessLock(`${path}.lock`, async () => {
    const value = read((await readIfThere(path)) ?? '');
    if (value !== undefined) return value;
    const text = await make();
    await replaceFile(path, text, mode);
    const fresh = read(text);
    if (fresh === undefined) throw new Error(`What was written to ${path} cannot be read`);
    return fresh;
  });
}

/**
 * Writes something secret into a file that only its owner may read, in place of the one before.
 * @param secret one line or several, without the end of the last
 * @param path its directory is created when missing
 */
export async function writeForOwner(path: string, secret: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await replaceFile(path, `${secret}\n`);
}
