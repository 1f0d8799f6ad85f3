import type { Queryable } from '../../db/database.ts';
import { sql } from '../../db/sql/sql.ts';
import type { RecordValues } from '../kernel/read/record_result.ts';
import { accountColumns } from './get.ts';

/** All accounts, the oldest first, each with how many users it has. For operators. */
export const listAccounts = (db: Queryable): Promise<RecordValues[]> =>
  db.query<RecordValues>(
    sql`SELECT ${accountColumns}, (SELECT count(*) FROM users WHERE account_id = accounts.id) AS users
        FROM accounts ORDER BY id`,
  );
