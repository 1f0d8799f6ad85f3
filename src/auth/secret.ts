/** Where the secrets are that sign tokens. */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Config, ConfigError } from '../config/config.ts';
import { readSecrets } from '../config/environment.ts';
import { minSecretBytes } from '../config/strength.ts';
import { readIfThere, readOrCreate, replaceFile } from '../lib/secret_file.ts';

/** The file of the secret that was made for what a directory holds. */
export const secretIn = (directory: string): string => join(directory, 'JWT_SECRET');

/** The file of those that it took the place of, a line each. */
const previousIn = (directory: string): string => join(directory, 'JWT_SECRET_PREVIOUS');

type Where = Pick<
  Config,
  'dataDir' | 'jwtSecret' | 'jwtSecretFile' | 'jwtSecretsPrevious' | 'jwtSecretsPreviousFile'
>;

/** Whether the secret is the data directory's own, and nobody configured another. */
export const isOwn = ({ jwtSecret, jwtSecretFile }: Where): boolean =>
  jwtSecret === undefined && jwtSecretFile === undefined;

export const newSecret = (): string => randomBytes(48).toString('base64url');

/**
 * The secrets of this process: the one that is configured, or the data directory's own, which is made
 * where there is none; and then those of before.
 * @throws {ConfigError} for a file that cannot be read, or holds less than a secret
 */
export async function secretsOf(config: Where): Promise<readonly string[]> {
  const { jwtSecretsPrevious, jwtSecretsPreviousFile: file } = config;
  return [
    await firstSecret(config),
    ...jwtSecretsPrevious,
    ...(file === undefined ? [] : await readPrevious(file)),
    ...(isOwn(config) ? await previousOf(config.dataDir) : []),
  ];
}

async function firstSecret({ jwtSecret, jwtSecretFile, dataDir }: Where): Promise<string> {
  if (jwtSecret !== undefined) return jwtSecret;
  if (jwtSecretFile !== undefined) {
    const secret = (await readSecretFile('JWT_SECRET_FILE', jwtSecretFile)).trim();
    const isLong = Buffer.byteLength(secret) >= minSecretBytes;
    return isLong ? secret : tooShort(`JWT_SECRET_FILE ${jwtSecretFile}`);
  }
  return readOrCreate(
    secretIn(dataDir),
    (text) => text.trim() || undefined,
    () => `${newSecret()}\n`,
  );
}

/** The secrets that a directory's own took the place of. */
async function previousOf(directory: string): Promise<readonly string[]> {
  const path = previousIn(directory);
  return several(path, (await readIfThere(path)) ?? '');
}

async function readPrevious(path: string): Promise<readonly string[]> {
  const where = `JWT_SECRET_PREVIOUS_FILE ${path}`;
  return several(where, await readSecretFile('JWT_SECRET_PREVIOUS_FILE', path));
}

const several = (where: string, text: string): readonly string[] =>
  text.trim() === '' ? [] : (readSecrets(text) ?? tooShort(where));

async function readSecretFile(variable: string, path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError([`${variable} cannot be read: ${reason}`]);
  });
}

function tooShort(where: string): never {
  throw new ConfigError([`${where} must hold at least ${minSecretBytes} bytes for each secret`]);
}

/** The secrets that a directory keeps, the one in use first; none when it keeps none. */
export async function storedSecrets(directory: string): Promise<readonly string[]> {
  const first = (await readIfThere(secretIn(directory)))?.trim();
  return first === undefined ? [] : [first, ...(await previousOf(directory))];
}

/**
 * Makes these the secrets that a directory keeps. Interrupted halfway it leaves the one in use as it was,
 * also among those of before.
 * @param secrets the one in use first
 */
export async function storeSecrets(directory: string, secrets: readonly string[]): Promise<void> {
  const [first = '', ...previous] = secrets;
  const text = previous.map((secret) => `${secret}\n`).join('');
  if (text !== '' || (await readIfThere(previousIn(directory))) !== undefined) {
    await replaceFile(previousIn(directory), text);
  }
  await replaceFile(secretIn(directory), `${first}\n`);
}
