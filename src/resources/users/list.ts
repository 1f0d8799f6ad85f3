import type { Queryable } from '../../db/database.ts';
import { sql } from '../../db/sql/sql.ts';
import type { RecordValues } from '../kernel/read/record_result.ts';

/**
 * The users of an account, the oldest first, each with when one of its tokens was last used. For
 * operators.
 */
export const listUsers = (db: Queryable, accountId: number): Promise<RecordValues[]> =>
  db.query<RecordValues>(
    sql`SELECT id, account_id, email, full_name, role, language, created_at, (
          SELECT max(last_used_at) FROM api_tokens AS t WHERE t.account_id = ${accountId} AND t.user_id = u.id
        ) AS last_used_at
        FROM users AS u WHERE account_id = ${accountId} ORDER BY id`,
  );
