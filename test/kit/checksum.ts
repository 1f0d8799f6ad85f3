/** Whether anything of an account is stored otherwise than before. */
import type { TestDatabase } from './database.ts';

/**
 * A query of the hash of each table's rows of an account ($1); tokens and sessions say when they were last used. Events
 * become due by themselves, and done, of which the entries have no user.
 */
export async function checksumOf(database: TestDatabase): Promise<string> {
  const tables = await database.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
      WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace AND a.attname = 'account_id'
      ORDER BY 1`,
  );
  const hashes = tables.map(
    ({ name }) => `'${name}', (SELECT md5(string_agg(row, '' ORDER BY row)) FROM (
      SELECT (to_jsonb(t) - ARRAY['last_used_at', 'due_at'${name === 'events' ? ", 'done_at', 'updated_at'" : ''}])::text AS row
      FROM "${name}" AS t WHERE account_id = $1 ${name === 'audit_entries' ? 'AND user_id IS NOT NULL' : ''}) AS each)`,
  );
  return `SELECT json_build_object(${hashes}) AS all`;
}
