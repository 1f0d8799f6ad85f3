/** The audit entries of a write, in its own statement. */
import { at } from './records.ts';

/** An entry for each row: all that is stored of what was created, and of what was changed that alone. */
export const entry = (action: string, row: string, before: string, after: string) =>
  `SELECT '${action}', '${action.split('.')[0]}', ${row}.id, ${before}, ${after}, ${row}.updated_at FROM ${row}`;
export const audit = (...entries: string[]) =>
  `INSERT INTO audit_entries (account_id, user_id, token_id, request_id, action, record_type, record_id, before, after, created_at)
   SELECT $1, $2, $3, '', e.* FROM (${entries.join(' UNION ALL ')}) e`;
export const columns = (row: string, ...names: string[]) =>
  `(SELECT row_to_json(t) FROM (SELECT ${names.map((each) => value(row, each)).join(', ')}) t)`;
const value = (row: string, column: string) =>
  column.endsWith('_at') ? `${at(`${row}.${column}`)} AS ${column}` : `${row}.${column}`;
