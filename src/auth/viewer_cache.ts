import { LRUCache } from 'lru-cache';
import { Fault } from '../errors/errors.ts';
import type { Viewer, Viewers } from './viewer.ts';

/** How long an answer is kept, in milliseconds: revoked credentials must be refused within 5 seconds. */
const keptMs = 4000;
/** At most this many credentials are remembered. */
const maxEntries = 10_000;

/** The viewer whom a credential identifies. */
export interface CredentialViewer {
  readonly viewer: Viewer;
  /** When it ends, in milliseconds since 1970; undefined: never. */
  readonly until: number | undefined;
}

/** What is known of a credential, or being asked. */
export interface CachedViewer<V extends CredentialViewer> {
  readonly asked: Promise<V>;
  /** Undefined while it is being asked. */
  verified: V | undefined;
}

/** Remembers for a few seconds whom credentials identified. */
export class ViewerCache<V extends CredentialViewer = CredentialViewer> implements Viewers {
  readonly #known = new LRUCache<string, CachedViewer<V>>({
    max: maxEntries,
    ttl: keptMs,
    // By default the cache reads the clock once in a millisecond, and sets a timer each time: under load for
    // nearly every request.
    ttlResolution: 0,
  });

  get(credential: string): CachedViewer<V> | undefined {
    return this.#known.get(credential);
  }

  /**
   * Asks, once for all calls that come with the same credential meanwhile.
   * @param ask rejects with UNAUTHENTICATED, which is remembered too, or with another error, which is not
   */
  ask(credential: string, ask: () => Promise<V>): CachedViewer<V> {
    const answer = ask().then((verified) => {
      known.verified = verified;
      return verified;
    });
    const known: CachedViewer<V> = { asked: answer, verified: undefined };
    this.#known.set(credential, known);
    answer.catch((error: unknown) => {
      const isRefused = error instanceof Fault && error.code === 'UNAUTHENTICATED';
      if (!isRefused && this.#known.peek(credential) === known) this.#known.delete(credential);
    });
    return known;
  }

  forget(accountId: number, userId?: number): void {
    for (const [credential, { verified }] of this.#known.entries()) {
      const viewer = verified?.viewer;
      const isOther =
        viewer?.accountId !== accountId || (userId !== undefined && viewer.userId !== userId);
      // What is just being asked may have been read before the change.
      if (!viewer || !isOther) this.#known.delete(credential);
    }
  }
}
