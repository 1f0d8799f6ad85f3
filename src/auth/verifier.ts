import type { Queryable } from '../db/database.ts';
import { sql } from '../db/sql/sql.ts';
import { unauthenticated } from '../errors/errors.ts';
import type { Keys } from './keys.ts';
import { LastUsedRecorder } from './last_used.ts';
import { readScopes } from './scopes.ts';
import { readToken } from './tokens.ts';
import type { Viewer, Viewers } from './viewer.ts';
import { type CachedViewer, type CredentialViewer, ViewerCache } from './viewer_cache.ts';

/** One space, and nothing before or after. */
const bearer = /^Bearer ([\w-]{1,512}\.[\w-]{1,2048}\.[\w-]{1,512})$/;

/** Says who calls, by the token that the call carries. */
export class Verifier implements Viewers {
  readonly #db: Queryable;
  readonly #keys: Keys;
  readonly #uses: LastUsedRecorder;
  readonly #known = new ViewerCache();

  constructor(db: Queryable, keys: Keys) {
    this.#db = db;
    this.#keys = keys;
    this.#uses = new LastUsedRecorder(db, noteUses);
  }

  /** The viewer whom a header's value is known to identify; undefined when only {@link verify} can tell. */
  known(authorization: string): Viewer | undefined {
    const verified = this.#known.get(authorization)?.verified;
    return verified && !isOver(verified) ? verified.viewer : undefined;
  }

  /**
   * @param authorization the header's value
   * @throws {Fault} UNAUTHENTICATED, the same whether the header is malformed or the token is not
   *   ours, expired, revoked, or its user gone; UNAVAILABLE when the database cannot say
   */
  async verify(authorization: string): Promise<Viewer> {
    const known = this.#known.get(authorization) ?? this.#ask(authorization);
    const verified = await known.asked;
    if (isOver(verified)) throw unauthenticated();
    return verified.viewer;
  }

  forget(accountId: number, userId?: number): void {
    this.#known.forget(accountId, userId);
  }

  /** Writes down which tokens were used, which otherwise happens a moment later. */
  close(): Promise<void> {
    return this.#uses.write();
  }

  #ask(authorization: string): CachedViewer<CredentialViewer> {
    const token = bearer.exec(authorization)?.[1];
    if (token === undefined) throw unauthenticated();
    const { sub, jti, exp } = readToken(token, this.#keys);
    return this.#known.ask(authorization, async () => {
      const row = await findViewer(this.#db, Number(sub), jti);
      const { accountId, userId, tokenId, role, defaultCountry } = row;
      if (!row.isNoted) this.#uses.record(tokenId);
      const scopes = readScopes(row.scopes);
      // Written out, not spread, like whatever every request reads (`src/docs/explanation/v8.md`).
      const viewer = { accountId, userId, tokenId, sessionId: null, role, scopes, defaultCountry };
      return { viewer, until: exp === undefined ? undefined : exp * 1000 };
    });
  }
}

const isOver = ({ until }: CredentialViewer): boolean => until !== undefined && until <= Date.now();

const noteUses = (ids: readonly number[]) =>
  sql`UPDATE api_tokens SET last_used_at = now() WHERE id IN (
        SELECT id FROM api_tokens WHERE id = ANY(${ids}::bigint[])
          AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')
        FOR UPDATE SKIP LOCKED)`;

interface TokenViewer extends Omit<Viewer, 'sessionId' | 'scopes'> {
  readonly tokenId: number;
  readonly scopes: readonly string[];
  /** Whether it is known already that the token was used in the last minute. */
  readonly isNoted: boolean;
}

async function findViewer(db: Queryable, userId: number, jti: string): Promise<TokenViewer> {
  const [row] = await db.query<TokenViewer>(
    sql`SELECT t.account_id AS "accountId", t.user_id AS "userId", t.id AS "tokenId", u.role, t.scopes,
          a.default_country AS "defaultCountry",
          coalesce(t.last_used_at >= now() - interval '1 minute', false) AS "isNoted"
        FROM api_tokens t
          JOIN users u ON u.account_id = t.account_id AND u.id = t.user_id
          JOIN accounts a ON a.id = t.account_id
        WHERE t.jti = ${jti}::uuid AND t.user_id = ${userId} AND t.revoked_at IS NULL
          AND (t.expires_at IS NULL OR t.expires_at > now())`,
    { reads: true },
  );
  if (!row) throw unauthenticated();
  return row;
}
