/** How much of what is answered to requests with a key is stored for an account. */
import type { Queryable } from '../../db/database.ts';
import { sql } from '../../db/sql/sql.ts';
import { TooMany } from '../../errors/errors.ts';
import { isKept, keptHours } from './answers.ts';

const mebibyte = 1024 * 1024;

/**
 * Bytes that a process may store for an account before it asks the database again: an eighth of the room
 * that was left, so that an account is asked about some forty times until its quota is used up, but no less
 * than this.
 */
const minUnasked = mebibyte;

/** How long an account that has used up its quota is not asked about again, in milliseconds. */
const restMs = 10_000;

/** How many accounts are remembered; of one that is not, a process learns anew. */
const maxAccounts = 10_000;

interface Usage {
  /** What the database said; undefined before it was asked. */
  use: QuotaUse | undefined;
  /** Bytes that this process has stored since, and those that it is about to. */
  stored: number;
  pending: number;
  /** Whether anything was refused since. */
  isFull: boolean;
  /** The question that is out. */
  asking: Promise<void> | undefined;
}

interface QuotaUse {
  readonly bytes: number;
  /** Seconds until the oldest answer is forgotten. */
  readonly seconds: number;
  /** On the clock of `performance`. */
  readonly at: number;
}

/**
 * Bounds the bytes of an account's stored answers, for all processes together. Nothing is counted in the
 * database, where one row for an account would have its writes wait for each other: a process adds up what
 * it stores itself, and asks for the sum once that matters. So an account may exceed its quota by what each
 * process stores unasked.
 */
export class AnswerQuota {
  readonly #maxBytes: number;
  readonly #byAccount = new Map<number, Usage>();

  /** @param maxBytes of one account */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** @returns why nothing more is stored for an account now; undefined where it may be */
  async refusal(db: Queryable, accountId: number): Promise<TooMany | undefined> {
    const usage = this.#usageOf(accountId);
    if (this.#isStale(usage)) await this.#ask(db, accountId, usage);
    return this.#room(usage) > 0 ? undefined : this.#refuse(usage);
  }

  /**
   * Makes room for an answer that is about to be stored.
   * @param isRefusable whether it may be left unstored, because what it tells of can be undone
   * @returns a function to be called once it is known whether it was stored
   * @throws {TooMany} when there is no room for it
   */
  reserve(accountId: number, bytes: number, isRefusable: boolean): (isStored: boolean) => void {
    const usage = this.#usageOf(accountId);
    if (isRefusable && bytes > this.#room(usage)) throw this.#refuse(usage);
    usage.pending += bytes;
    return (isStored) => {
      usage.pending -= bytes;
      if (isStored) usage.stored += bytes;
    };
  }

  #usageOf(accountId: number): Usage {
    const known = this.#byAccount.get(accountId);
    if (known) return known;
    if (this.#byAccount.size >= maxAccounts) this.#byAccount.clear();
    const usage: Usage = {
      use: undefined,
      stored: 0,
      pending: 0,
      isFull: false,
      asking: undefined,
    };
    this.#byAccount.set(accountId, usage);
    return usage;
  }

  #room({ use: asked, stored, pending }: Usage): number {
    return this.#maxBytes - (asked?.bytes ?? 0) - stored - pending;
  }

  #isStale({ use: asked, stored, isFull }: Usage): boolean {
    if (!asked) return isFull || stored >= minUnasked;
    if (isFull && performance.now() - asked.at > restMs) return true;
    return stored >= Math.max(minUnasked, (this.#maxBytes - asked.bytes) / 8);
  }

  #ask(db: Queryable, accountId: number, usage: Usage): Promise<void> {
    // What is stored meanwhile may be counted twice, and is never left out.
    const { stored } = usage;
    usage.asking ??= readUsage(db, accountId)
      .then((use) => {
        usage.use = { ...use, at: performance.now() };
        usage.stored -= stored;
        usage.isFull = false;
      })
      .finally(() => {
        usage.asking = undefined;
      });
    return usage.asking;
  }

  #refuse(usage: Usage): TooMany {
    usage.isFull = true;
    const mebibytes = Math.floor(this.#maxBytes / mebibyte);
    return new TooMany(
      usage.use?.seconds ?? 1,
      `The answers to the account's requests with an Idempotency-Key have more than ${mebibytes} MiB, and each is kept for ${keptHours} hours: ask for smaller answers, or send no key`,
    );
  }
}

async function readUsage(db: Queryable, accountId: number): Promise<Omit<QuotaUse, 'at'>> {
  const [row] = await db.query<Omit<QuotaUse, 'at'>>(
    sql`SELECT coalesce(sum(octet_length(answer)), 0)::bigint AS bytes,
          greatest(1, ceil(extract(epoch FROM min(created_at) + make_interval(hours => ${keptHours}::integer) - now())))::integer AS seconds
        FROM idempotency_keys WHERE account_id = ${accountId} AND ${isKept}`,
  );
  return row ?? { bytes: 0, seconds: 1 };
}
