import { createSecretKey, randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import type { TestDatabase } from './database.ts';
import { secret } from './service.ts';

const key = createSecretKey(secret, 'utf8');

export interface TokenOptions {
  /** Seconds from now; negative for one that has expired, null for one without an end. */
  readonly expiresIn?: number | null;
  /** Claims that take the place of the right ones; undefined leaves one out. */
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly algorithm?: jwt.Algorithm;
  readonly key?: string;
  /** Whether the account has a record of it. */
  readonly recorded?: boolean;
}

export interface Holder {
  readonly id: number;
  readonly account_id: number;
}

/** Issues a token as the panel does: signed, and recorded in `api_tokens`. */
export async function issue(database: TestDatabase, user: Holder, options: TokenOptions = {}): Promise<string> {
  const { expiresIn = 3600, recorded = true, algorithm = 'HS256' } = options;
  const iat = Math.floor(Date.now() / 1000) - 60;
  const exp = expiresIn === null ? undefined : iat + 60 + expiresIn;
  const jti = randomUUID();
  if (recorded) {
    await database.query(
      `INSERT INTO api_tokens (account_id, user_id, jti, name, expires_at)
       VALUES ($1, $2, $3, 'test', to_timestamp($4))`,
      [user.account_id, user.id, jti, exp ?? null],
    );
  }
  const claims = { sub: String(user.id), jti, iat, ...(exp === undefined ? {} : { exp }), ...options.claims };
  const payload = Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
  if (algorithm === 'none') return unsigned(payload);
  const noTimestamp = !Object.hasOwn(payload, 'iat');
  return jwt.sign(payload, options.key ?? key, { algorithm, noTimestamp, allowInsecureKeySizes: true });
}

function unsigned(payload: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none', typ: 'JWT' })}.${part(payload)}.`;
}
