import { authorize } from '../../auth/policy.ts';
import { type Context, faultsOf } from '../../context/context.ts';
import type { Faults } from '../../errors/errors.ts';
import { readLimit } from '../kernel/read/limit.ts';
import { type Cursor, readCursor } from './cursor.ts';
import type { PageRequest } from './page.ts';
import { readRecordTypes } from './record_types.ts';

/** What of the feed is asked for, as the client sent it. */
export interface FeedArguments {
  /** A cursor, or `now`. */
  readonly after?: unknown;
  /** The same as the header `Last-Event-ID`, which goes before. */
  readonly lastEventId?: unknown;
  readonly limit?: unknown;
  /** Kinds of records; all of them when not given. */
  readonly records?: unknown;
  /** Seconds that an empty page is held back for something to come. */
  readonly wait?: unknown;
}

export interface FeedRequest extends PageRequest {
  /** Whether only the cursor of this moment is wanted. */
  readonly isNow: boolean;
  readonly waitMs: number;
}

const max = { usual: 100, limit: 1000, seconds: 25 };

/**
 * @throws {Fault} NOT_FOUND, FORBIDDEN, INSUFFICIENT_SCOPE where it is not for this viewer;
 *   VALIDATION_FAILED for what cannot be read
 */
export function readFeedRequest(ctx: Context, account: unknown, args: FeedArguments): FeedRequest {
  const accountId = authorize(ctx.viewer, account, 'change.read');
  const faults = faultsOf(ctx);
  const actions = readRecordTypes(args.records, ctx.viewer, faults);
  const limit = readLimit('limit', args.limit, max.limit, faults) ?? max.usual;
  const wait = readLimit('wait', args.wait, max.seconds, faults, 0) ?? 0;
  const position = args.lastEventId ?? args.after;
  const isNow = position === 'now';
  const name = args.lastEventId === undefined ? 'after' : 'Last-Event-ID';
  const after = isNow ? undefined : readAfter(name, position, faults);
  faults.throwIfAny();
  return { accountId, after, actions, limit, isNow, waitMs: wait * 1000 };
}

function readAfter(name: string, value: unknown, faults: Faults): Cursor | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const cursor = typeof value === 'string' ? readCursor(value) : undefined;
  if (!cursor) faults.add(name, 'is not a cursor: send one unchanged, or now');
  return cursor;
}
