import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { keptIn } from '../kept_file.ts';

/** The file of the secret that was made for what a directory holds. */
export const secretIn = (directory: string): string => join(directory, 'JWT_SECRET');

/** The secret that signs tokens: the configured one, else one of the data directory's own. */
export async function signingSecret({ jwtSecret, dataDir }: Config): Promise<string> {
  return (
    jwtSecret ??
    keptIn(
      secretIn(dataDir),
      (text) => text.trim() || undefined,
      () => `${randomBytes(48).toString('base64url')}\n`,
    )
  );
}
