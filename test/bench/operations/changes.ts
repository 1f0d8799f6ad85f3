/** The feed, of an account that has some changes. */
import type { Database } from '../../../src/db/database.ts';
import { raw } from '../../../src/db/sql/sql.ts';
import type { Operation } from './operation.ts';
import { at } from './records.ts';

const followed = 9;
const onPage = 1000;

/** Twice as many as are read: contacts that were renamed. */
async function addChanges(db: Database): Promise<void> {
  await db.query(raw(`DELETE FROM audit_entries WHERE account_id = ${followed}`));
  await db.query(
    raw(`INSERT INTO audit_entries (account_id, user_id, action, record_type, record_id, before, after, request_id)
      SELECT ${followed}, ${followed}, 'contact.update', 'contact', i, json_build_object('full_name', 'Before ' || i),
        json_build_object('full_name', 'After ' || i), gen_random_uuid()
      FROM generate_series(1, ${2 * onPage}) AS i`),
  );
}

interface Page {
  readonly data: readonly { readonly cursor: string }[];
  readonly next: string;
}

/** A cursor is read by nobody but its maker. */
function withoutCursors(text: string): unknown {
  const page: Page = JSON.parse(text);
  return { ...page, next: null, data: page.data.map((change) => ({ ...change, cursor: null })) };
}

export const changesOperations: readonly Operation[] = [
  {
    name: 'changes',
    kind: 'read',
    status: 200,
    connections: 2,
    account: followed,
    prepare: addChanges,
    request: () => ({
      method: 'GET',
      path: `/api/v1/accounts/${followed}/changes?limit=${onPage}`,
    }),
    byHand: {
      path: '/api/v1/accounts/:account/changes',
      sql: `WITH page AS MATERIALIZED (
          SELECT *, change_order || '.' || id AS cursor FROM audit_entries
          WHERE account_id = $1 AND change_order < pg_snapshot_xmin(pg_current_snapshot())::text::bigint
            AND record_type = ANY('{account,contact,deal,deal_assignee,deal_product,event,pipeline,product,stage,user}')
          ORDER BY change_order, id LIMIT ${onPage + 1})
        SELECT json_build_object(
          'data', (SELECT json_agg(json_build_object('cursor', cursor, 'at', ${at('created_at')}, 'action', split_part(action, '.', 2),
              'record_type', record_type, 'record_id', record_id, 'before', before, 'after', after,
              'user_id', user_id, 'token_id', token_id, 'request_id', request_id) ORDER BY change_order, id)
            FROM (SELECT * FROM page ORDER BY change_order, id LIMIT ${onPage}) AS told),
          'next', (SELECT cursor FROM page ORDER BY change_order, id OFFSET ${onPage - 1} LIMIT 1),
          'more', (SELECT count(*) > ${onPage} FROM page))::text`,
    },
    comparable: withoutCursors,
  },
];
