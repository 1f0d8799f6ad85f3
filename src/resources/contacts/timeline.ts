import { authorize, readId } from '../../auth/policy.ts';
import type { Context } from '../../context/context.ts';
import type { Selection } from '../../db/sql/shape.ts';
import { sql } from '../../db/sql/sql.ts';
import { notFound } from '../../errors/errors.ts';
import { pagination, readPage } from '../../search/page.ts';
import { readSelected } from '../kernel/read/answer.ts';
import type { Page, SearchArguments } from '../kernel/read/page.ts';
import { select } from '../kernel/read/record.ts';
import type { RecordValues } from '../kernel/read/record_result.ts';

/**
 * A page of what happened with a contact and with its deals, newest first, in one statement.
 * @throws {Fault} NOT_FOUND; INVALID_SEARCH for a page or size that cannot be read
 */
export async function contactTimeline(
  ctx: Context,
  account: unknown,
  contact: unknown,
  args: Omit<SearchArguments, 'query'>,
  selection: Selection,
): Promise<Page> {
  const accountId = authorize(ctx.viewer, account, 'event.read');
  const contactId = readId(contact);
  const { page, perPage } = readPage(args.page, args.per_page);
  const answer = await readSelected<RecordValues[], { readonly count: number }>(ctx, selection, {
    query: () =>
      sql`WITH found AS MATERIALIZED (
        SELECT id, created_at FROM events WHERE account_id = ${accountId} AND contact_id = ${contactId}
      )
      SELECT (SELECT count(*) FROM found) AS count, (
        SELECT '[' || coalesce(string_agg(${select.record('events', selection, accountId, 'r')}, ',' ORDER BY page.place), '') || ']'
        FROM unnest(ARRAY(
          SELECT id FROM found ORDER BY created_at DESC, id DESC LIMIT ${perPage} OFFSET ${(page - 1) * perPage}
        )) WITH ORDINALITY AS page(id, place)
        JOIN events AS r ON r.account_id = ${accountId} AND r.id = page.id
      ) AS data
      FROM contacts WHERE account_id = ${accountId} AND id = ${contactId}`,
    text: 'data',
    others: ['count'],
  });
  if (!answer) throw notFound();
  const { count } = answer.row;
  const items = Math.min(perPage, Math.max(0, count - (page - 1) * perPage));
  return { data: answer.value, pagination: pagination(page, perPage, count, items) };
}
