import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { hasCode, withProcessLock } from '../process_lock.ts';

/**
 * The secret that signs tokens: the configured one, else one made once and kept in the data
 * directory, readable by its owner alone.
 */
export async function signingSecret({ jwtSecret, dataDir }: Config): Promise<string> {
  if (jwtSecret !== undefined) return jwtSecret;
  await mkdir(dataDir, { recursive: true });
  const path = join(dataDir, 'JWT_SECRET');
  return withProcessLock(`${path}.lock`, async () => {
    const kept = await readFile(path, 'utf8').catch((error: unknown) => {
      if (hasCode(error, 'ENOENT')) return '';
      throw error;
    });
    if (kept.trim() !== '') return kept.trim();
    const made = randomBytes(48).toString('base64url');
    await writeFile(`${path}.new`, `${made}\n`, { mode: 0o600 });
    await rename(`${path}.new`, path);
    return made;
  });
}
