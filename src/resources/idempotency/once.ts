/**
 * Requests with a key are done once, however often they are sent: the answer is stored in the transaction of
 * what they write, and repeated.
 *
 * Nobody claims a key beforehand. Of several requests at work with the same key, the first to commit stores
 * its answer; the key is unique, so what the others wrote is undone, and they repeat that answer. A process
 * that hangs or is killed meanwhile keeps nobody from trying again.
 *
 * A request that does nothing but create one record needs no transaction for that: the statement that creates
 * the record also looks up an earlier answer, and stores the new one ({@link InlineIdempotency}).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Encryption } from '../../auth/encryption.ts';
import type { Keys } from '../../auth/keys.ts';
import type { Viewer } from '../../auth/viewer.ts';
import type { Context } from '../../context/context.ts';
import {
  type AnswerOnce,
  type KeyedRequest,
  type StoredAnswer,
  stillAtWork,
  usedBefore,
} from '../../context/idempotency.ts';
import { because, DatabaseError, isStoppedAtLock } from '../../db/errors.ts';
import { Fault, forbidden } from '../../errors/errors.ts';
import { eventLoopQueue } from '../../lib/event_loop_queue.ts';
import {
  type AnswerRow,
  digestOf,
  findAnswer,
  type Head,
  insertion,
  insertionOverParts,
  removalOfOld,
  withHead,
} from './answers.ts';
import { AnsweredBefore, inlineIdempotencyOf } from './inline.ts';
import { NotCommitted } from './not_committed.ts';
import { progressOf } from './progress.ts';
import { AnswerQuota } from './quota.ts';

/** How long a request waits for another with the same key, in milliseconds. */
const usualPatienceMs = 5000;

/** Characters from which on a text takes milliseconds to be sealed and sent, or to be opened. */
const longText = 64 * 1024;

/** Requests that lost a race pause for up to this many milliseconds, so as not to collide again. */
const longestPauseMs = 50;

/**
 * Answers requests that come with a key, for one process; processes agree by the unique key in the
 * database.
 */
export class Idempotency {
  readonly #seals: Encryption;
  readonly #patienceMs: number;
  readonly #quota: AnswerQuota;
  /** The work under way in this process, by the digest of its key. */
  readonly #working = new Map<string, Promise<unknown>>();
  #replays = 0;

  /** @param maxBytes of an account's stored answers */
  constructor(
    keys: Keys,
    { patienceMs = usualPatienceMs, maxBytes = Number.POSITIVE_INFINITY } = {},
  ) {
    this.#seals = new Encryption(keys);
    this.#patienceMs = patienceMs;
    this.#quota = new AnswerQuota(maxBytes);
  }

  /** How many answers were repeated. */
  get replays(): number {
    return this.#replays;
  }

  /** See {@link AnswerOnce}. */
  readonly answer: AnswerOnce = async (ctx, request, work) => {
    const { accountId } = ctx.viewer;
    const digest = digestOf(ctx.viewer, request.key);
    const until = performance.now() + this.#patienceMs;
    for (;;) {
      const full = await this.#quota.refusal(ctx.db, accountId);
      const before = this.#working.get(digest);
      if (before && !(await isOver(before, until))) throw stillAtWork();
      if (full || !request.created) {
        const row = await findAnswer(ctx.db, accountId, digest);
        if (row) return this.#again(ctx, row, request);
        if (full) throw full;
        // Somebody began meanwhile.
        if (this.#working.has(digest)) continue;
      }
      const working = this.#answerFirst(ctx, digest, request, work);
      this.#working.set(digest, working);
      try {
        return { ...(await working), isReplay: false };
      } catch (error) {
        if (error instanceof AnsweredBefore) return this.#again(ctx, error.stored, request);
        if (!(error instanceof NotCommitted)) throw error;
        if (performance.now() > until) {
          throw error.isOfKey ? stillAtWork() : because(error, new Fault('UNAVAILABLE'));
        }
      } finally {
        this.#working.delete(digest);
      }
      await ctx.db.query(removalOfOld(accountId, digest));
      await sleep(Math.random() * longestPauseMs);
    }
  };

  async #answerFirst(
    ctx: Context,
    digest: string,
    request: KeyedRequest,
    work: Parameters<AnswerOnce>[2],
  ): Promise<StoredAnswer> {
    const { viewer, viewers, deliveries } = ctx;
    const db = ctx.db.sharedTransaction();
    const reserve = (bytes: number, isRefusable: boolean) =>
      this.#quota.reserve(viewer.accountId, bytes, isRefusable);
    const note = (bytes: number) => reserve(bytes, false)(true);
    const progress = progressOf(ctx.db, viewer.accountId, this.#seals, digest, request, note);
    const afterwards: (() => void)[] = [];
    const { kid } = this.#seals;
    const fingerprint = this.#seals.fingerprint(kid, ...request.request);
    const stamp = { digest, kid, fingerprint };
    const inlineIdempotency = request.created && inlineIdempotencyOf(ctx, stamp, request.created);
    try {
      const result = await work({
        ...ctx,
        db,
        progress,
        ...(inlineIdempotency && { inlineIdempotency }),
        // Anyone notified before the commit would read, and remember, the old state.
        viewers: { forget: (...whom) => afterwards.push(() => viewers.forget(...whom)) },
        deliveries: {
          refusal: (url) => deliveries.refusal(url),
          wake: () => afterwards.push(() => deliveries.wake()),
        },
      });
      if (inlineIdempotency?.isDone()) {
        reserve(Buffer.byteLength(result.body), false)(true);
        return result;
      }
      // A request refused before its statement ran may still have been answered earlier.
      const row = inlineIdempotency && (await findAnswer(ctx.db, viewer.accountId, digest));
      if (row) throw new AnsweredBefore(row);
      await turnFor(viewer, result.body);
      const head: Head = { headers: result.headers, role: viewer.role };
      const answer = {
        ...stamp,
        part: 0,
        status: result.status,
        answer: this.#seals.encrypt(withHead(head, result.body), digest),
      };
      await turnFor(viewer, answer.answer);
      const settle = reserve(answer.answer.length, !progress.hasParts());
      let isStored = false;
      try {
        const store = progress.hasParts() ? insertionOverParts : insertion;
        await db.commit(store(viewer.accountId, answer, result.tellsOf));
        isStored = true;
      } catch (error) {
        const isRace = error instanceof DatabaseError || isStoppedAtLock(error);
        throw isRace ? new NotCommitted(error) : error;
      } finally {
        settle(isStored);
      }
      return result;
    } finally {
      await db.rollback();
      for (const tell of afterwards) tell();
    }
  }

  async #again({ viewer }: Context, stored: AnswerRow, { request, created }: KeyedRequest) {
    const { digest, kid, fingerprint, status, answer } = stored;
    if (fingerprint !== this.#seals.fingerprint(kid, ...request)) throw usedBefore();
    if (answer === null) throw new Fault('GONE', [forgotten]);
    await turnFor(viewer, answer);
    const isShown = answer.startsWith('{');
    const opened = isShown ? answer : this.#seals.decrypt(kid, answer, digest);
    const end = opened.indexOf('\n');
    const { headers, role }: Head = JSON.parse(opened.slice(0, end));
    if (role === 'admin' && viewer.role !== 'admin') throw forbidden();
    const body = opened.slice(end + 1);
    this.#replays += 1;
    if (!isShown) return { status, headers, body, isReplay: true };
    if (!created) throw usedBefore();
    const endOfVersion = body.indexOf('\n');
    const record = body.slice(endOfVersion + 1);
    const about = created.about(body.slice(0, endOfVersion), record);
    return { status, headers: { ...headers, ...about }, body: record, isReplay: true };
  }
}

/** Waits for a turn of the account before something is done with a text, where that takes long. */
const turnFor = ({ accountId }: Viewer, text: string): Promise<void> | undefined =>
  text.length > longText ? eventLoopQueue.waitForTurn(accountId) : undefined;

const forgotten =
  'The request was answered before, and the answer told of a person who was to be forgotten since';

/** Waits until work is over, whatever came of it; false when that takes too long. */
async function isOver(work: Promise<unknown>, until: number): Promise<boolean> {
  const waiting = new AbortController();
  const { signal } = waiting;
  const over = work.then(
    () => true,
    () => true,
  );
  const late = sleep(until - performance.now(), false, { signal, ref: false });
  return Promise.race([over, late]).finally(() => waiting.abort());
}
