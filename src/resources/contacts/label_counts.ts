import { authorize } from '../../auth/policy.ts';
import type { Context } from '../../context/context.ts';
import { sql } from '../../db/sql/sql.ts';
import type { LabelCount, LabelPage } from '../../generated/graphql.ts';
import { pagination, readPage } from '../../search/page.ts';
import { readAnswer } from '../kernel/read/answer.ts';
import type { SearchArguments } from '../kernel/read/page.ts';

/**
 * A page of the labels of the account's contacts, the most frequent first, in one statement.
 * @throws {Fault} INVALID_SEARCH for a page or size that cannot be read
 */
export async function listLabels(
  ctx: Context,
  account: unknown,
  args: Omit<SearchArguments, 'query'>,
): Promise<LabelPage> {
  const accountId = authorize(ctx.viewer, account, 'contact.read');
  const { page, perPage } = readPage(args.page, args.per_page);
  const answer = await readAnswer<LabelCount[], { count: number }>(ctx, {
    query: () =>
      sql`WITH found AS MATERIALIZED (
          SELECT label, count(*) AS count FROM contacts, unnest(label_list) AS label
          WHERE contacts.account_id = ${accountId} GROUP BY label
        )
        SELECT (SELECT count(*) FROM found) AS count, (
          SELECT coalesce(json_agg(row_to_json(one)), '[]'::json) FROM (
            SELECT label, count FROM found ORDER BY count DESC, label COLLATE "C"
            LIMIT ${perPage} OFFSET ${(page - 1) * perPage}
          ) AS one
        )::text AS data`,
    text: 'data',
    others: ['count'],
  });
  const data = answer?.value ?? [];
  return { data, pagination: pagination(page, perPage, answer?.row.count ?? 0, data.length) };
}
