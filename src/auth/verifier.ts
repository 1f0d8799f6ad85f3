import type { KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Queryable } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { Fault, unauthenticated } from '../errors.ts';
import { readScopes } from './scopes.ts';
import { TokenUses } from './token_uses.ts';
import { readToken } from './tokens.ts';
import type { Viewer, Viewers } from './viewer.ts';

/** How long an answer is cached: a revoked token must be refused within 5 seconds. */
const cacheMs = 4000;
/** Tokens cached at most. */
const mostCached = 10_000;

/** One space, and nothing before or after. */
const bearer = /^Bearer ([\w-]{1,512}\.[\w-]{1,2048}\.[\w-]{1,512})$/;

interface Verified {
  readonly viewer: Viewer;
  /** Seconds since 1970. */
  readonly exp: number | undefined;
}

/** What is known of a token, or being asked. */
interface Known {
  readonly asked: Promise<Verified>;
  /** Undefined while it is being asked. */
  viewer: Viewer | undefined;
}

/** Says who calls, by the token that the call carries. */
export class Verifier implements Viewers {
  readonly #db: Queryable;
  readonly #key: KeyObject;
  readonly #uses: TokenUses;
  readonly #cache = new LRUCache<string, Known>({
    max: mostCached,
    ttl: cacheMs,
  });

  constructor(db: Queryable, key: KeyObject) {
    this.#db = db;
    this.#key = key;
    this.#uses = new TokenUses(db);
  }

  /**
   * @param authorization the header's value
   * @throws {Fault} UNAUTHENTICATED, the same whether the header is malformed or the token is not
   *   ours, expired, revoked, or its user gone; UNAVAILABLE when the database cannot say
   */
  async verify(authorization: string): Promise<Viewer> {
    const token = bearer.exec(authorization)?.[1];
    if (token === undefined) throw unauthenticated();
    const { viewer, exp } = await (this.#cache.get(token) ?? this.#ask(token)).asked;
    if (exp !== undefined && exp * 1000 <= Date.now()) throw unauthenticated();
    return viewer;
  }

  forget(accountId: number, userId?: number): void {
    for (const [token, { viewer }] of this.#cache.entries()) {
      const isOther =
        viewer?.accountId !== accountId || (userId !== undefined && viewer.userId !== userId);
      // What is just being asked may have been read before the change.
      if (!viewer || !isOther) this.#cache.delete(token);
    }
  }

  /** Writes down which tokens were used, which otherwise happens a moment later. */
  close(): Promise<void> {
    return this.#uses.write();
  }

  /** Concurrent callers with the same token share one query. */
  #ask(token: string): Known {
    const { sub, jti, exp } = readToken(token, this.#key);
    const asked = findViewer(this.#db, Number(sub), jti).then(({ isNoted, scopes, ...found }) => {
      if (!isNoted) this.#uses.note(found.tokenId);
      const viewer = { ...found, sessionId: null, scopes: readScopes(scopes) };
      known.viewer = viewer;
      return { viewer, exp };
    });
    const known: Known = { asked, viewer: undefined };
    this.#cache.set(token, known);
    asked.catch((error: unknown) => {
      const isRefused = error instanceof Fault && error.code === 'UNAUTHENTICATED';
      if (!isRefused && this.#cache.peek(token) === known) this.#cache.delete(token);
    });
    return known;
  }
}

interface Found extends Omit<Viewer, 'sessionId' | 'scopes'> {
  readonly tokenId: number;
  readonly scopes: readonly string[];
  /** Whether it is known already that the token was used in the last minute. */
  readonly isNoted: boolean;
}

async function findViewer(db: Queryable, userId: number, jti: string): Promise<Found> {
  const [row] = await db.query<Found>(
    sql`SELECT t.account_id AS "accountId", t.user_id AS "userId", t.id AS "tokenId", u.role, t.scopes,
          a.default_country AS "defaultCountry",
          coalesce(t.last_used_at >= now() - interval '1 minute', false) AS "isNoted"
        FROM api_tokens t
          JOIN users u ON u.account_id = t.account_id AND u.id = t.user_id
          JOIN accounts a ON a.id = t.account_id
        WHERE t.jti = ${jti}::uuid AND t.user_id = ${userId} AND t.revoked_at IS NULL
          AND (t.expires_at IS NULL OR t.expires_at > now())`,
    { named: true, reads: true },
  );
  if (!row) throw unauthenticated();
  return row;
}
