/** People who signed in: what their browsers hold, and who is behind it. */
import { createHash, randomBytes } from 'node:crypto';
import type { Queryable } from '../db/database.ts';
import { sql } from '../db/sql/sql.ts';
import { signedOut } from '../errors/errors.ts';
import { LastUsedRecorder } from './last_used.ts';
import { everything } from './scopes.ts';
import type { Viewer, Viewers } from './viewer.ts';
import { type CredentialViewer, ViewerCache } from './viewer_cache.ts';

/** Seconds after which a session ends: when it is not used, and at the latest. */
export const lasting = { idle: 12 * 3600, max: 7 * 86_400 } as const;

/** What stands for a secret in the database, from which nobody gets it back: 43 characters. */
export const hashOf = (secret: string): string =>
  createHash('sha256').update(secret).digest('base64url');

/** What a browser is given when its user signs in: 256 bits, unlike anything that was there before. */
export const newSecret = (): string => randomBytes(32).toString('base64url');

/** A session that was believed. */
export interface SignedIn extends CredentialViewer {
  readonly viewer: Viewer & { readonly sessionId: number };
  /** When it ends unless it is used until then, in milliseconds since 1970. */
  readonly until: number;
}

/** Says who calls, by the secret that a browser was given. */
export class Sessions implements Viewers {
  readonly #db: Queryable;
  readonly #uses: LastUsedRecorder;
  readonly #known = new ViewerCache<SignedIn>();

  constructor(db: Queryable) {
    this.#db = db;
    this.#uses = new LastUsedRecorder(db, noteUses);
  }

  /**
   * @param secret as the cookie holds it
   * @throws {Fault} UNAUTHENTICATED, the same whether there never was such a session or it has ended;
   *   UNAVAILABLE when the database cannot say
   */
  async verify(secret: string): Promise<SignedIn> {
    const hash = hashOf(secret);
    const known = this.#known.get(hash) ?? this.#known.ask(hash, () => this.#find(hash));
    const signedIn = await known.asked;
    if (signedIn.until <= Date.now()) throw signedOut();
    return signedIn;
  }

  forget(accountId: number, userId?: number): void {
    this.#known.forget(accountId, userId);
  }

  /** Writes down which sessions were used, which otherwise happens a moment later. */
  close(): Promise<void> {
    return this.#uses.write();
  }

  async #find(hash: string): Promise<SignedIn> {
    const [row] = await this.#db.query<SessionViewer>(
      sql`SELECT s.account_id AS "accountId", s.user_id AS "userId", s.id AS "sessionId", u.role,
            a.default_country AS "defaultCountry", s.expires_at AS "expiresAt",
            s.last_used_at >= now() - interval '1 minute' AS "isNoted"
          FROM sessions s
            JOIN users u ON u.account_id = s.account_id AND u.id = s.user_id
            JOIN accounts a ON a.id = s.account_id
          WHERE s.token_hash = ${hash} AND s.expires_at > now()`,
      { reads: true },
    );
    if (!row) throw signedOut();
    const { accountId, userId, sessionId, role, defaultCountry, expiresAt, isNoted } = row;
    if (!isNoted) this.#uses.record(sessionId);
    const scopes = everything;
    // Written out, not spread, like whatever every request reads (`src/docs/explanation/v8.md`).
    const viewer = { accountId, userId, tokenId: null, sessionId, role, scopes, defaultCountry };
    return { viewer, until: new Date(expiresAt).getTime() };
  }
}

interface SessionViewer extends Omit<Viewer, 'tokenId' | 'scopes'> {
  readonly sessionId: number;
  readonly expiresAt: string;
  /** Whether it is known already that the session was used in the last minute. */
  readonly isNoted: boolean;
}

// Citus adds nothing to a moment that a row has unless it is without a time zone.
const noteUses = (ids: readonly number[]) =>
  sql`UPDATE sessions SET last_used_at = now(), expires_at = least(
        now() + make_interval(secs => ${lasting.idle}),
        (created_at AT TIME ZONE 'UTC' + make_interval(secs => ${lasting.max})) AT TIME ZONE 'UTC')
      WHERE id IN (
        SELECT id FROM sessions WHERE id = ANY(${ids}::bigint[])
          AND last_used_at < now() - interval '1 minute' AND expires_at > now()
        FOR UPDATE SKIP LOCKED)`;
