import { type Context, faultsOf } from '../../context.ts';
import { type Given, readGiven } from './asked.ts';
import { follow } from './follow.ts';
import { readNow } from './now.ts';
import type { Change } from './page.ts';

/**
 * The changes of an account's records from a place on, as they come, without end. What it is asked for is
 * read when the first is.
 * @throws {Fault} as {@link listChanges}; UNAUTHENTICATED or FORBIDDEN once the viewer may not follow
 *   any more
 */
export async function* streamChanges(
  ctx: Context,
  account: unknown,
  given: Given,
): AsyncGenerator<Change[]> {
  const { isNow, ...asked } = readGiven(ctx, account, given);
  if (given.wait !== undefined) {
    const faults = faultsOf(ctx);
    faults.add('wait', 'is for pages alone: events are waited for as long as it takes');
    faults.throwIfAny();
  }
  const after = isNow ? await readNow(ctx.db, asked.accountId) : asked.after;
  for await (const page of follow(ctx, { ...asked, after }, ctx.hold, 'from the beginning')) {
    yield page.data;
  }
}
