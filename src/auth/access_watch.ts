/** Whether viewers whose answers last long may still be served: tokens are revoked, and people leave. */
import type { Queryable } from '../db/database.ts';
import { sql } from '../db/sql/sql.ts';
import { type Fault, forbidden, unauthenticated } from '../errors/errors.ts';
import type { Viewer } from './viewer.ts';

/** Viewers who are no longer let in must be cut off within five seconds. */
const usualPauseMs = 2000;

interface WatchedAccess {
  readonly viewer: Viewer;
  readonly lost: (why: Fault) => void;
}

/** Checks all of them with one statement every two seconds, and with none while there is nobody. */
export class AccessWatch {
  readonly #db: Queryable;
  readonly #pauseMs: number;
  readonly #watched = new Set<WatchedAccess>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(db: Queryable, pauseMs = usualPauseMs) {
    this.#db = db;
    this.#pauseMs = pauseMs;
  }

  /**
   * @param lost called once when the viewer's token or session has ended, or its user has another role
   * @returns how to stop
   */
  watch(viewer: Viewer, lost: (why: Fault) => void): () => void {
    const watched = { viewer, lost };
    this.#watched.add(watched);
    this.#begin();
    return () => this.#watched.delete(watched);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#watched.clear();
  }

  #begin(): void {
    if (this.#timer || this.#isClosed) return;
    this.#timer = setTimeout(async () => {
      // While the database is away, nobody is known to have lost anything.
      if (this.#watched.size > 0) await this.#look().catch(() => undefined);
      this.#timer = undefined;
      if (this.#watched.size > 0) this.#begin();
    }, this.#pauseMs).unref();
  }

  async #look(): Promise<void> {
    // Viewers added while the statement runs were let in a moment ago.
    const watched = [...this.#watched];
    const rows = await this.#db.query<{ proof: string; role: Viewer['role'] }>(
      standing(
        watched.flatMap(({ viewer }) => viewer.tokenId ?? []),
        watched.flatMap(({ viewer }) => viewer.sessionId ?? []),
      ),
      { reads: true },
    );
    const roles = new Map(rows.map(({ proof, role }) => [proof, role]));
    for (const each of watched) {
      const role = roles.get(proofOf(each.viewer));
      if (role === each.viewer.role || !this.#watched.delete(each)) continue;
      each.lost(role === undefined ? unauthenticated() : forbidden());
    }
  }
}

const proofOf = ({ tokenId, sessionId }: Viewer): string =>
  tokenId === null ? `session ${sessionId}` : `token ${tokenId}`;

/** The tokens and sessions that still hold, each with the role of its user. */
const standing = (tokens: readonly number[], sessions: readonly number[]) =>
  sql`SELECT 'token ' || t.id AS proof, u.role
      FROM api_tokens t JOIN users u ON u.account_id = t.account_id AND u.id = t.user_id
      WHERE t.id = ANY(${[...new Set(tokens)]}::bigint[]) AND t.revoked_at IS NULL
        AND (t.expires_at IS NULL OR t.expires_at > now())
    UNION ALL
      SELECT 'session ' || s.id, u.role
      FROM sessions s JOIN users u ON u.account_id = s.account_id AND u.id = s.user_id
      WHERE s.id = ANY(${[...new Set(sessions)]}::bigint[]) AND s.expires_at > now()`;
