import { type KeyObject, randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import * as z from 'zod';
import type { Queryable } from '../db/database.ts';
import { sql } from '../db/sql/sql.ts';
import { Fault, unauthenticated } from '../errors/errors.ts';
import { asId } from '../lib/integer.ts';
import { type Keys, ownKid } from './keys.ts';
import type { Scope } from './scopes.ts';
import { currentFingerprint, lacksCurrent } from './signing_secrets.ts';

/** The only algorithm used for signing, and the only one accepted. */
const algorithm = 'HS256';

/** A token's claims: the user's id, its own id, when it was issued and when it expires (seconds). */
const claims = z.object({
  sub: z.string().refine((id) => asId(id) !== undefined),
  jti: z.string().regex(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/),
  iat: z.int(),
  exp: z.int().exactOptional(),
});

export type Claims = Readonly<z.infer<typeof claims>>;

/**
 * @param kid which of the keys signs, as the token then says; the process's own unless given
 * @throws {Fault} UNAVAILABLE when this process does not have that key
 */
export function signToken(claims: Claims, keys: Keys, kid = ownKid(keys)): string {
  const key = keys.get(kid);
  if (!key) throw new Fault('UNAVAILABLE', [lacksCurrent(kid)]);
  return jwt.sign({ ...claims }, key, { algorithm, keyid: kid, mutatePayload: false });
}

/**
 * Reads a token that was signed here: checks its signature, expiry and the form of its claims.
 * @throws {Fault} UNAUTHENTICATED, whatever is wrong with it
 */
export function readToken(token: string, keys: Keys): Claims {
  for (const key of keysFor(token, keys)) {
    try {
      return claims.parse(jwt.verify(token, key, { algorithms: [algorithm] }));
    } catch {
      // Another key may have signed it.
    }
  }
  throw unauthenticated();
}

/** The key that a token names; all of them where it names none, as tokens did not always. */
function keysFor(token: string, keys: Keys): Iterable<KeyObject> {
  const kid = kidOf(token);
  if (kid === undefined) return keys.values();
  const key = keys.get(kid);
  return key ? [key] : [];
}

/** @throws {Fault} UNAUTHENTICATED for a text that is not a token at all */
function kidOf(token: string): string | undefined {
  try {
    return jwt.decode(token, { complete: true })?.header.kid;
  } catch {
    throw unauthenticated();
  }
}

/** What tokens are signed with, and how many seconds they live unless it is said; null: for ever. */
export interface Signing {
  readonly keys: Keys;
  readonly ttl: number | null;
}

export interface NewToken {
  readonly accountId: number;
  readonly userId: number;
  /** What it is for. */
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Lifetime in seconds; null: for ever. */
  readonly ttl: number | null;
  readonly keys: Keys;
  readonly now: Date;
}

export interface IssuedToken {
  /** The id of its record. */
  readonly id: number;
  /** ISO 8601; null: never. */
  readonly expiresAt: string | null;
  readonly token: string;
}

/**
 * Issues a token for a user and records it; the token itself is not stored. Which secret signs is for the
 * database to say, so that all processes change to another one at the same moment.
 * @throws {Fault} UNAVAILABLE when this process does not have that secret
 */
export async function issueToken(db: Queryable, token: NewToken): Promise<IssuedToken> {
  const iat = Math.floor(token.now.getTime() / 1000);
  const exp = token.ttl === null ? undefined : iat + token.ttl;
  const expiresAt = exp === undefined ? null : new Date(exp * 1000).toISOString();
  const jti = randomUUID();
  const [issued] = await db.query<{ id: number; kid: string }>(
    sql`INSERT INTO api_tokens (account_id, user_id, jti, name, scopes, created_at, expires_at, kid)
        SELECT ${token.accountId}::bigint, ${token.userId}::bigint, ${jti}::uuid, ${token.name}::text, ${token.scopes}::text[],
          ${token.now}::timestamptz, ${expiresAt}::timestamptz,
          coalesce(${currentFingerprint}, ${ownKid(token.keys)}) RETURNING id, kid`,
  );
  if (!issued) throw new Error('the issued token was not recorded');
  const sub = String(token.userId);
  const claims = exp === undefined ? { sub, jti, iat } : { sub, jti, iat, exp };
  return { id: issued.id, expiresAt, token: signToken(claims, token.keys, issued.kid) };
}

/** A token's record as the command line shows it: timestamps in ISO 8601. */
export interface TokenRecord {
  readonly id: number;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
}

/** The tokens of the user with this e-mail, oldest first; undefined when there is no such user. */
export async function listTokens(
  db: Queryable,
  email: string,
): Promise<readonly TokenRecord[] | undefined> {
  const rows = await db.query<TokenRecord & { readonly id: number | null }>(
    sql`SELECT t.id, t.name, t.scopes, t.created_at, t.last_used_at, t.expires_at, t.revoked_at
        FROM users u LEFT JOIN api_tokens t ON t.account_id = u.account_id AND t.user_id = u.id
        WHERE u.email = ${email} ORDER BY t.id`,
  );
  return rows.length === 0 ? undefined : rows.filter((row) => row.id !== null).map(withIsoTimes);
}

/** Revokes a token of an account, unless it already is; undefined when there is none with this id. */
export async function revokeToken(
  db: Queryable,
  accountId: number,
  id: number,
  now: Date,
): Promise<TokenRecord | undefined> {
  const [row] = await db.query<TokenRecord>(
    sql`UPDATE api_tokens SET revoked_at = coalesce(revoked_at, ${now}::timestamptz)
        WHERE account_id = ${accountId} AND id = ${id}
        RETURNING id, name, scopes, created_at, last_used_at, expires_at, revoked_at`,
  );
  return row && withIsoTimes(row);
}

function withIsoTimes(row: TokenRecord): TokenRecord {
  const iso = (time: string | null) => (time === null ? null : new Date(time).toISOString());
  return {
    id: row.id,
    name: row.name,
    scopes: row.scopes,
    created_at: new Date(row.created_at).toISOString(),
    last_used_at: iso(row.last_used_at),
    expires_at: iso(row.expires_at),
    revoked_at: iso(row.revoked_at),
  };
}
