/** How often a client may fail to sign in, counted in the database for all processes. */
import { LRUCache } from 'lru-cache';
import type { Queryable } from '../db/database.ts';
import { sql } from '../db/sql/sql.ts';
import { retryConflicts } from '../db/transactions/retry.ts';
import { Fault, TooMany } from '../errors/errors.ts';
import { ConcurrencyLimit } from '../lib/concurrency_limit.ts';
import { hashOf } from './sessions.ts';

/** Failures in `minutes`, of one client: with one e-mail address, and with any. */
const limits = { minutes: 15, sameEmail: 10, all: 50 } as const;

const lastingMs = limits.minutes * 60_000;

/** How many attempts are decided at once, as many as there are hashes, and how many wait: for a second. */
const deciding = {
  atOnce: 2,
  waiting: { max: 32, refusal: 'Too many sign-ins at once' },
} as const;

/** How often what is over is removed, in milliseconds. */
const pruningMs = 60_000;

/** Who tries, and as whom. */
export interface Attempt {
  readonly client: string;
  /**
   * As whom: an e-mail address, or a name that cannot be one. Undefined where what is tried is as hard to
   * guess as a key: then only the limit over all addresses counts.
   */
  readonly email: string | undefined;
}

const hasFailed = (error: unknown) => error instanceof Fault && error.code === 'UNAUTHENTICATED';

/** Lets a client try, and remembers for how long it may not, so that a flood costs the database nothing. */
export class SignInAttempts {
  /** When those who are refused may try again, in milliseconds since 1970. */
  readonly #refused = new LRUCache<string, number>({ max: 10_000 });
  readonly #limit = new ConcurrencyLimit<string>(deciding.atOnce, deciding.waiting);
  #prunedAt = 0;

  /**
   * Decides an attempt. It counts as failed from the beginning, because otherwise any number could be made at
   * once, and stops counting when it succeeds.
   * @param decide is given the attempt's id, and throws UNAUTHENTICATED when it failed
   * @throws {TooMany} when the client has failed too often, with this address or with all
   * @throws {Fault} UNAVAILABLE when too many people try at once; and what `decide` throws
   */
  async count<T>(db: Queryable, attempt: Attempt, decide: (id: number) => Promise<T>): Promise<T> {
    this.#refuseKnown(attempt);
    return this.#limit.run(attempt.client, async () => {
      const id = await this.#begin(db, attempt);
      try {
        const decided = await decide(id);
        await takeBack(db, id);
        return decided;
      } catch (error) {
        // What is wrong with us is not held against whoever tries.
        if (!hasFailed(error)) await takeBack(db, id).catch(() => undefined);
        throw error;
      }
    });
  }

  /** @returns the id of what counts from now on */
  async #begin(db: Queryable, attempt: Attempt): Promise<number> {
    this.#refuseKnown(attempt);
    await this.#prune(db);
    const { client, email } = attempt;
    const hash = hashOf(email ?? '');
    const [begun] = await db.query<{ id: number }>(
      sql`INSERT INTO sign_in_attempts (client, email_hash) VALUES (${client}, ${hash}) RETURNING id`,
    );
    if (!begun) throw new Error('an attempt to sign in was not counted');
    const others = await db.query<{ at: string; same: boolean }>(
      sql`SELECT created_at AS at, email_hash = ${hash} AS same FROM sign_in_attempts
          WHERE client = ${client} AND id <> ${begun.id}
            AND created_at > now() - make_interval(mins => ${limits.minutes})
          ORDER BY created_at DESC`,
    );
    const alike = email === undefined ? [] : others.filter(({ same }) => same);
    const isRefused = [
      this.#note(client, endOf(others, limits.all)),
      this.#note(keyOf(attempt), endOf(alike, limits.sameEmail)),
    ];
    if (!isRefused.includes(true)) return begun.id;
    await takeBack(db, begun.id);
    this.#refuseKnown(attempt);
    throw new TooMany(1);
  }

  /** @param until when whoever is refused may try again; undefined when they may now */
  #note(key: string, until: number | undefined): boolean {
    if (until !== undefined) this.#refused.set(key, until);
    return until !== undefined;
  }

  #refuseKnown(attempt: Attempt): void {
    const untils = [attempt.client, keyOf(attempt)].map((key) => this.#refused.get(key) ?? 0);
    const restMs = Math.max(...untils) - Date.now();
    if (restMs > 0) throw new TooMany(Math.ceil(restMs / 1000));
  }

  /** Removes what is over and what nobody asks for any more, at most once a minute. */
  async #prune(db: Queryable): Promise<void> {
    if (Date.now() - this.#prunedAt < pruningMs) return;
    this.#prunedAt = Date.now();
    const removal = sql`WITH attempts AS (
            DELETE FROM sign_in_attempts WHERE created_at < now() - make_interval(mins => ${limits.minutes})
          ), codes AS (
            DELETE FROM sign_in_codes WHERE expires_at < now()
          )
          DELETE FROM sessions WHERE expires_at < now()`;
    await retryConflicts(() => db.query(removal));
  }
}

async function takeBack(db: Queryable, id: number): Promise<void> {
  await db.query(sql`DELETE FROM sign_in_attempts WHERE id = ${id}`);
}

/** Under which a client is refused with one address. */
const keyOf = ({ client, email }: Attempt) => `${client} ${hashOf(email ?? '')}`;

/**
 * When the `count` newest attempts no longer all count; undefined where there are fewer.
 * @param attempts the newest first
 * @returns milliseconds since 1970
 */
function endOf(attempts: readonly { readonly at: string }[], count: number): number | undefined {
  const last = attempts[count - 1];
  return last && new Date(last.at).getTime() + lastingMs;
}
