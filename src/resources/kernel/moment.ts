/**
 * When a statement writes: by the database's clock as the row is written, and not when the call came.
 * What the statement waited for lies before it; what is left until the commit is a few milliseconds
 * for one statement, and at most the rest of a transaction.
 */
import { raw, type Sql, sql } from '../../db/sql.ts';

/** The clock, which goes on within a statement; a migration says why it has a name of its own. */
export const clock = raw('moment()');

/**
 * The clock where a condition holds, and something else where not. Citus writes with no CASE that
 * asks a clock.
 */
export const clockWhere = (condition: Sql, otherwise: Sql): Sql =>
  sql`(ARRAY[${otherwise}, ${clock}])[1 + (${condition})::integer]`;
