import { authorize } from '../../auth/policy.ts';
import type { Context } from '../../context.ts';
import type { Selection } from '../../db/shape.ts';
import { sql } from '../../db/sql.ts';
import { pagination } from '../../search/page.ts';
import { readAnswer } from '../kernel/answer.ts';
import type { Page } from '../kernel/page.ts';
import { select } from '../kernel/record.ts';

/** Every pipeline of the account by id, on one page that holds them all. */
export async function listPipelines(
  ctx: Context,
  account: unknown,
  selection: Selection,
): Promise<Page> {
  const accountId = authorize(ctx.viewer, account, 'pipeline.read');
  const read = await readAnswer<Page['data']>(
    ctx,
    {
      query: () =>
        sql`SELECT '[' || coalesce(string_agg(${select.record('pipelines', selection, accountId, 'r')}::text, ',' ORDER BY r.id), '') || ']' AS data
          FROM pipelines AS r WHERE r.account_id = ${accountId}`,
      text: 'data',
    },
    ctx.ownSelection || 'when frequent',
  );
  const data = read?.value ?? [];
  return { data, pagination: pagination(1, Math.max(1, data.length), data.length, data.length) };
}
