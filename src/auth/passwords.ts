import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

/** Cost of one hash: about 50 ms and 32 MiB, on a thread of its own. */
const cost = { N: 32_768, r: 8, p: 1 };
const keyLength = 32;

/**
 * Hashes a password slowly, with a random salt.
 * @returns `scrypt$N$r$p$salt$key`, the last two in base64url
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  return written(salt, await derive(password, salt, cost, keyLength));
}

function written(salt: Buffer, key: Buffer): string {
  const parts = [cost.N, cost.r, cost.p, salt.toString('base64url'), key.toString('base64url')];
  return `scrypt$${parts.join('$')}`;
}

/** What no password is known to hash to: it stands for the hash of those who have none. */
const nobodys = written(randomBytes(16), randomBytes(keyLength));

/**
 * Whether a password is the one that was hashed; takes the same time whatever the answer.
 * @param hash what {@link hashPassword} returned; anything else matches no password
 */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const form = /^scrypt\$(\d+)\$(\d+)\$(\d+)\$([\w-]+)\$([\w-]+)$/;
  const [, N, r, p, salt = '', key = ''] = form.exec(hash) ?? form.exec(nobodys) ?? [];
  const expected = Buffer.from(key, 'base64url');
  const parameters = { N: Number(N), r: Number(r), p: Number(p) };
  const found = await derive(password, Buffer.from(salt, 'base64url'), parameters, expected.length);
  return timingSafeEqual(found, expected);
}

type Cost = Readonly<typeof cost>;

function derive(password: string, salt: Buffer, parameters: Cost, length: number): Promise<Buffer> {
  // Keyboards differ in whether they compose the same characters.
  const typed = password.normalize('NFKC');
  const maxmem = 256 * parameters.N * parameters.r;
  return new Promise((resolve, reject) => {
    scrypt(typed, salt, length, { ...parameters, maxmem }, (error, key) => {
      if (error) reject(error);
      else resolve(key);
    });
  });
}
