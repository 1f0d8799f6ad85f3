import { type Context, faultsOf } from '../../context/context.ts';
import { writeCursor } from './cursor.ts';
import { follow } from './follow.ts';
import { readNow } from './now.ts';
import type { Change } from './page.ts';
import { type FeedArguments, readFeedRequest } from './request.ts';

/** Changes that are sent together, possibly none. */
export interface StreamedChanges {
  readonly data: Change[];
  /** @returns the cursor from which on to read once these are known */
  next(): string;
}

/**
 * The changes of an account's records from a place on, as they come, without end. Arguments are checked when
 * the first page is requested.
 * @throws {Fault} as {@link listChanges}; UNAUTHENTICATED or FORBIDDEN once the viewer may not follow
 *   any more
 */
export async function* streamChanges(
  ctx: Context,
  account: unknown,
  args: FeedArguments,
): AsyncGenerator<StreamedChanges> {
  const { isNow, ...request } = readFeedRequest(ctx, account, args);
  if (args.wait !== undefined) {
    const faults = faultsOf(ctx);
    faults.add('wait', 'is for pages alone: events are waited for as long as it takes');
    faults.throwIfAny();
  }
  const after = isNow ? await readNow(ctx.db, request.accountId) : request.after;
  for await (const page of follow(ctx, { ...request, after }, ctx.hold, 'from the beginning')) {
    yield { data: page.data, next: () => writeCursor(page.next) };
  }
}
