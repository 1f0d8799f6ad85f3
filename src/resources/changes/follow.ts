import type { Context, ParkedRequest } from '../../context/context.ts';
import { Fault } from '../../errors/errors.ts';
import { ConcurrencyLimit } from '../../lib/concurrency_limit.ts';
import { eventLoopQueue } from '../../lib/event_loop_queue.ts';
import { type Changes, type PageRequest, readPage } from './page.ts';

/** How long one page may take, in milliseconds: a stream as a whole has no deadline. */
const patienceMs = 5000;

/**
 * Streams that are behind get their pages a few at a time, the accounts in turns: all at once would leave the
 * event loop no time to take in a connection. Streams that wait for news get it together with all the others.
 */
const catchingUp = new ConcurrencyLimit<number>(4);

/** Changes of a page from which on to make its text keeps the process busy for milliseconds. */
const manyChanges = 100;

/**
 * Follows the feed from a place on: its pages as they come, also those without a change, whose `next` is
 * further on. They are read once for all streams that wait at the same place.
 * @param hold holds the answer back, and so ends this: in peace, or with the reason
 * @param from when it is held back
 * @throws {Fault} as {@link readPage} and `hold`, and why the viewer may not follow any more
 */
export async function* follow(
  { db, watch }: Pick<Context, 'db' | 'watch'>,
  request: PageRequest,
  hold: () => ParkedRequest,
  from: 'from the beginning' | 'when it waits' = 'when it waits',
): AsyncGenerator<Changes> {
  const news = new News();
  // Before anything is read, so that nothing comes in between.
  const stop = watch.listen(request.accountId, () => news.come());
  let parked: ParkedRequest | undefined;
  const begin = () => {
    parked = hold();
    parked.signal.addEventListener('abort', () => news.come(), { once: true });
    return parked;
  };
  const { accountId } = request;
  const isGone = () => parked?.signal.aborted;
  const readOnce = (page: PageRequest) =>
    watch.once(JSON.stringify(page), () =>
      readPage(db.of({ account: accountId, until: performance.now() + patienceMs }), page),
    );
  const readInTurn = (next: PageRequest) =>
    catchingUp.run(accountId, async () => {
      if (isGone()) return undefined;
      const page = await readOnce(next);
      if (page.data.length > manyChanges) await eventLoopQueue.waitForTurn(accountId);
      return page;
    });
  try {
    let isBehind = from === 'from the beginning';
    if (isBehind) begin();
    let { after } = request;
    for (;;) {
      news.forget();
      const next = { ...request, after };
      const page = await (isBehind ? readInTurn(next) : readOnce(next));
      if (!page || isGone()) break;
      after = page.next;
      yield page;
      isBehind = page.more;
      // What came meanwhile is news, too: to read on at once would have each stream send every change by itself.
      if (page.more) continue;
      const { signal } = parked ?? begin();
      if (!signal.aborted) await news.next();
      if (signal.aborted) break;
    }
    const why: unknown = parked?.signal.reason;
    if (why instanceof Fault) throw why;
  } finally {
    stop();
    parked?.end();
  }
}

/** Whether something has come, for one waiter. */
class News {
  #has = false;
  #wake: (() => void) | undefined;

  come(): void {
    this.#has = true;
    this.#wake?.();
  }

  forget(): void {
    this.#has = false;
  }

  next(): Promise<void> {
    if (this.#has) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
