import { createHmac, randomUUID } from 'node:crypto';
import type { TestDatabase } from './database.ts';
import { secret } from './service.ts';
import { shipped } from './shared.ts';

/** How a token may be signed, and by which hash. */
const hashes = { HS256: 'sha256', HS384: 'sha384', HS512: 'sha512', none: undefined } as const;

export interface TokenOptions {
  /** Seconds from now; negative for one that has expired, null for one without an end. */
  readonly expiresIn?: number | null;
  /** Claims that take the place of the right ones; undefined leaves one out. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Everything unless given. */
  readonly scopes?: readonly string[];
  readonly algorithm?: keyof typeof hashes;
  readonly key?: string;
  /** Whether the account has a record of it. */
  readonly recorded?: boolean;
}

export interface Holder {
  readonly id: number;
  readonly account_id: number;
}

const { retryConflicts } = await shipped<typeof import('../../src/db/transactions/retry.ts')>(
  'db/transactions/retry.js',
);

const isDeadlock = (error: unknown) =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === '40P01';

/**
 * Issues a token as the panel does: signed, and recorded in `api_tokens`. Signed by hand, because
 * a library would not sign what a test wants refused.
 */
export async function issue(
  database: TestDatabase,
  user: Holder,
  options: TokenOptions = {},
): Promise<string> {
  const { expiresIn = 3600, recorded = true, scopes = ['*'] } = options;
  const now = Math.floor(Date.now() / 1000);
  const exp = expiresIn === null ? undefined : now + expiresIn;
  const jti = randomUUID();
  if (recorded) {
    const record = () =>
      database.query(
        `INSERT INTO api_tokens (account_id, user_id, jti, name, expires_at, scopes)
         VALUES ($1, $2, $3, 'test', to_timestamp($4), $5)`,
        [user.account_id, user.id, jti, exp ?? null, scopes],
      );
    // On Citus every server has the table, and many who write to it at once may wait for each other.
    await retryConflicts(record, isDeadlock, 20);
  }
  return sign({ sub: String(user.id), jti, iat: now - 60, exp, ...options.claims }, options);
}

function sign(claims: object, { algorithm = 'HS256', key = secret }: TokenOptions): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: algorithm, typ: 'JWT' })}.${part(claims)}`;
  const hash = hashes[algorithm];
  return `${signed}.${hash ? createHmac(hash, key).update(signed).digest('base64url') : ''}`;
}
