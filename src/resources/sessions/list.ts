import { authorize } from '../../auth/policy.ts';
import { parseSearch } from '../../search/parse.ts';
import { getPage, recordsOf } from '../kernel/read/page.ts';
import type { List } from '../kernel/read/read.ts';
import { shapes } from '../shapes.ts';
import { seenBy } from './record.ts';

/** The last one that was used comes first. */
const order = [
  {
    attribute: { path: [], column: 'last_used_at', kind: 'timestamp' },
    descending: true,
  },
] as const;

/**
 * A page of the sessions that have not ended: members see their own, admins everybody's.
 * @throws {Fault} INVALID_SEARCH for a query, page or size that cannot be read
 */
export const listSessions: List = async (ctx, account, search, selection) => {
  authorize(ctx.viewer, account, 'session.read');
  const { role, userId } = ctx.viewer;
  const own = role === 'admin' ? {} : { user_id_eq: userId };
  const seen = { ...own, expires_at_gt: ctx.now.toISOString() };
  const { where } = parseSearch(seen, 'sessions', shapes);
  const page = await getPage(ctx, 'sessions', search, selection, order, where);
  return { ...page, data: recordsOf(page).map((session) => seenBy(ctx, session)) };
};
