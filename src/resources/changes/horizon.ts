import { raw } from '../../db/sql.ts';

/**
 * Where the order of changes (`change_order` in the migrations) is still open, in a statement's own
 * snapshot: below it every change is there to be read, and none will come.
 */
export const horizon = raw('(SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint)');
