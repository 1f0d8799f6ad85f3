import { authorize } from '../../auth/policy.ts';
import type { Context } from '../../context/context.ts';
import type { Selection } from '../../db/sql/shape.ts';
import { sql } from '../../db/sql/sql.ts';
import { pagination } from '../../search/page.ts';
import { prepareFor, readSelected } from '../kernel/read/answer.ts';
import type { Page } from '../kernel/read/page.ts';
import { select } from '../kernel/read/record.ts';
import type { RecordValues } from '../kernel/read/record_result.ts';

/** Every pipeline of the account by id, on one page that holds them all. */
export async function listPipelines(
  ctx: Context,
  account: unknown,
  selection: Selection,
): Promise<Page> {
  const accountId = authorize(ctx.viewer, account, 'pipeline.read');
  const answer = await readSelected<RecordValues[], { readonly count: number }>(
    ctx,
    selection,
    {
      query: () =>
        sql`SELECT '[' || coalesce(string_agg(${select.record('pipelines', selection, accountId, 'r')}, ',' ORDER BY r.id), '') || ']' AS data,
            count(*) AS count
          FROM pipelines AS r WHERE r.account_id = ${accountId}`,
      text: 'data',
      others: ['count'],
    },
    prepareFor(ctx),
  );
  if (!answer) throw new Error('an aggregate returned nothing');
  const { count } = answer.row;
  return { data: answer.value, pagination: pagination(1, Math.max(1, count), count, count) };
}
