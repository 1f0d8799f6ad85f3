import { authorize } from '../../auth/policy.ts';
import type { Context } from '../../context/context.ts';
import type { Selection } from '../../db/sql/shape.ts';
import { sql } from '../../db/sql/sql.ts';
import { Faults } from '../../errors/errors.ts';
import { compileWhere } from '../../search/compile.ts';
import { pagination, readPage } from '../../search/page.ts';
import { readSelected } from '../kernel/read/answer.ts';
import type { SearchArguments, SearchPage } from '../kernel/read/page.ts';
import { select } from '../kernel/read/record.ts';
import type { RecordValues } from '../kernel/read/record_result.ts';
import { shapes } from '../shapes.ts';
import { readDealQuery } from './query.ts';

/**
 * A page of the open deals that match and have no activity to be done, those of the largest total first, in one
 * statement.
 * @throws {Fault} INVALID_SEARCH for a query, page or size that cannot be read
 */
export async function dealsWithoutNextStep(
  ctx: Context,
  account: unknown,
  given: SearchArguments,
  selection: Selection,
): Promise<SearchPage> {
  const accountId = authorize(ctx.viewer, account, 'deal.read');
  authorize(ctx.viewer, account, 'event.read');
  const faults = new Faults('INVALID_SEARCH');
  const search = readDealQuery(ctx, given.query, faults);
  const { page, perPage } = readPage(given.page, given.per_page, faults);
  const order = sql`total_deal_products_amount_in_cents DESC, id DESC`;
  const read = await readSelected<RecordValues[], { readonly count: number }>(ctx, selection, {
    query: () =>
      sql`WITH found AS MATERIALIZED (
        SELECT r.id, r.total_deal_products_amount_in_cents FROM deals AS r
        WHERE r.account_id = ${accountId} AND r.status = 'open' AND ${compileWhere(search, 'r', shapes, accountId)}
          AND NOT EXISTS (SELECT FROM events AS e WHERE e.account_id = ${accountId} AND e.deal_id = r.id
            AND e.kind = 'activity' AND e.done_at IS NULL)
      )
      SELECT (SELECT count(*) FROM found) AS count, (
        SELECT '[' || coalesce(string_agg(${select.record('deals', selection, accountId, 'r')}, ',' ORDER BY page.place), '') || ']'
        FROM unnest(ARRAY(SELECT id FROM found ORDER BY ${order} LIMIT ${perPage} OFFSET ${(page - 1) * perPage}))
          WITH ORDINALITY AS page(id, place)
        JOIN deals AS r ON r.account_id = ${accountId} AND r.id = page.id
      ) AS data`,
    text: 'data',
    others: ['count'],
  });
  const count = read?.row.count ?? 0;
  const items = Math.min(perPage, Math.max(0, count - (page - 1) * perPage));
  return {
    data: read?.value ?? [],
    pagination: pagination(page, perPage, count, items),
    match: 'EXACT',
  };
}
