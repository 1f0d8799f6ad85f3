/**
 * When a statement writes: by the database's clock as the row is written, and not when the call came.
 * What the statement waited for lies before it; what is left until the commit is a few milliseconds
 * for one statement, and at most the rest of a transaction.
 */
import { raw } from '../../db/sql.ts';

/** The clock, which goes on within a statement; a migration says why it has a name of its own. */
export const clock = raw('moment()');
