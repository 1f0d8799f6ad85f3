import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { minPasswordCost } from '../config/strength.ts';
import { ConcurrencyLimit } from '../lib/concurrency_limit.ts';

/** Who wants a hash: the address of a client that is not signed in, or an account by its id. */
type Asker = string | number;

/** At most two in a process at once. */
const hashing = new ConcurrencyLimit<Asker>(2);

/** Cost of a new hash, on a thread of its own: about 50 ms and 32 MiB unless configured. */
const cost = { N: minPasswordCost, r: 8, p: 1 };
const keyLength = 32;

/**
 * Sets what new hashes cost in this process. Those that are stored are verified at the cost that they were made with.
 * @param N of scrypt: a power of two, in proportion to time and memory
 */
export function setPasswordCost(N: number): void {
  cost.N = N;
}

/**
 * Hashes a password slowly, with a random salt.
 * @param who asks, to take turns with others
 * @returns `scrypt$N$r$p$salt$key`, the last two in base64url
 */
export async function hashPassword(password: string, who: Asker): Promise<string> {
  const salt = randomBytes(16);
  return written(salt, await derive(who, password, salt, cost, keyLength));
}

function written(salt: Buffer, key: Buffer): string {
  const parts = [cost.N, cost.r, cost.p, salt.toString('base64url'), key.toString('base64url')];
  return `scrypt$${parts.join('$')}`;
}

const scryptAsync = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** What a hash is made of that no known password has: it stands in where there is no such user. */
const nobodys = [randomBytes(16), randomBytes(keyLength)] as const;

/**
 * Whether a password is the one that was hashed; takes the same time whatever the answer.
 * @param hash what {@link hashPassword} returned; anything else matches no password
 * @param who asks, to take turns with others
 */
export async function verifyPassword(password: string, hash: string, who: Asker): Promise<boolean> {
  const form = /^scrypt\$(\d+)\$(\d+)\$(\d+)\$([\w-]+)\$([\w-]+)$/;
  const [, N, r, p, salt = '', key = ''] = form.exec(hash) ?? form.exec(written(...nobodys)) ?? [];
  const expected = Buffer.from(key, 'base64url');
  const parameters = { N: Number(N), r: Number(r), p: Number(p) };
  const known = Buffer.from(salt, 'base64url');
  return timingSafeEqual(await derive(who, password, known, parameters, expected.length), expected);
}

type Cost = Readonly<typeof cost>;

function derive(
  who: Asker,
  password: string,
  salt: Buffer,
  parameters: Cost,
  length: number,
): Promise<Buffer> {
  // Keyboards differ in whether they compose the same characters.
  const typed = password.normalize('NFKC');
  const options = { ...parameters, maxmem: 256 * parameters.N * parameters.r };
  return hashing.run(who, () => scryptAsync(typed, salt, length, options));
}
