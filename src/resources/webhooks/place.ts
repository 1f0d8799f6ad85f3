import { type Sql, sql } from '../../db/sql/sql.ts';
import type { Horizon } from '../changes/horizon.ts';

/** A SELECT of the place in the feed of an account behind all that can be read by now. */
export const newestPlace = (accountId: number, { order, incarnation }: Horizon): Sql =>
  sql`SELECT ${incarnation}::text AS place_of, COALESCE(newest.change_order, 0) AS place_order,
        COALESCE(newest.id, 0) AS place_entry
      FROM (SELECT) AS one LEFT JOIN (
        SELECT change_order, id FROM audit_entries
        WHERE account_id = ${accountId} AND change_order < ${order}
        ORDER BY change_order DESC, id DESC LIMIT 1
      ) AS newest ON true`;
