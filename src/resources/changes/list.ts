import type { Context } from '../../context/context.ts';
import { eventLoopQueue, shareToSend } from '../../lib/event_loop_queue.ts';
import { type Cursor, writeCursor } from './cursor.ts';
import { follow } from './follow.ts';
import { readNow } from './now.ts';
import { type Change, type Changes, readPage } from './page.ts';
import { type FeedArguments, readFeedRequest } from './request.ts';

export interface ChangePage {
  readonly data: Change[];
  readonly next: string;
  readonly more: boolean;
}

/** The share of a turn of the event loop that it takes to answer a request at all. */
const shareToAnswer = 1 / 8;

/**
 * A page of the changes of an account's records, in an order in which none comes before one that was
 * told already. An empty one is held back while `wait` lasts, until there is a change.
 * @throws {Fault} CURSOR_GONE when what follows the cursor is not known any more; VALIDATION_FAILED;
 *   TOO_MANY_REQUESTS or UNAVAILABLE when too many answers are held back
 */
export async function listChanges(
  ctx: Context,
  account: unknown,
  args: FeedArguments,
): Promise<ChangePage> {
  const request = readFeedRequest(ctx, account, args);
  const { accountId, waitMs } = request;
  if (request.isNow) return pageAt(await readNow(ctx.db, accountId));
  let page = waitMs > 0 ? undefined : await readPage(ctx.db, request);
  if (!page) {
    for await (page of follow(ctx, request, () => ctx.hold(waitMs))) {
      if (page.data.length > 0 || page.more) break;
    }
    // Many may have waited for the same change.
    const share = Math.max(shareToAnswer, shareToSend(page?.bytes ?? 0));
    await eventLoopQueue.waitForTurn(accountId, share);
  }
  if (!page) throw new Error('the feed ended before it began');
  const turn = ctx.budget.spend(page.bytes);
  if (turn) await turn;
  return pageOf(page);
}

const pageOf = ({ data, next, more }: Changes): ChangePage => ({
  data,
  next: writeCursor(next),
  more,
});

const pageAt = (cursor: Cursor): ChangePage => ({
  data: [],
  next: writeCursor(cursor),
  more: false,
});
