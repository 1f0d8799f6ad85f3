import type { Queryable } from '../database.ts';
import { sql } from '../sql/sql.ts';
import { limitsOf } from './pool.ts';

/** Zones that times are read as; written with another they would be wrong by hours. */
const zones: readonly string[] = ['UTC', 'Etc/UTC'];

/**
 * Holds the database's sessions against what the service asks for when it connects. A pooler may ignore
 * that, and then the database must have it from elsewhere: without the limits a statement outlives its
 * request, and a transaction whose process is gone keeps its locks.
 * @throws with the statements that make it so
 */
export async function checkSession(db: Queryable, statementTimeoutMs: number): Promise<void> {
  const limits = Object.entries(limitsOf(statementTimeoutMs));
  const names = limits.map(([name]) => name);
  const rows = await db.query<{ role: string; name: string; setting: string }>(
    sql`SELECT current_user AS role, name, setting FROM pg_settings
        WHERE name = 'TimeZone' OR name = ANY(${names}::text[])`,
  );
  const settings = new Map(rows.map(({ name, setting }) => [name, setting]));
  const wanting = limits
    .filter(([name, max]) => !isWithin(Number(settings.get(name)), max))
    .map(([name, max]) => [name, `'${max}ms'`]);
  if (!zones.includes(settings.get('TimeZone') ?? '')) wanting.push(['TimeZone', "'UTC'"]);
  if (wanting.length === 0) return;
  const role = rows[0]?.role;
  const lines = wanting.map(([name, value]) => `  ALTER ROLE "${role}" SET ${name} = ${value};`);
  throw new Error(
    `The sessions of the database do not have the settings that the service connects with, as behind a pooler that ignores them. Then its role must have them:\n${lines.join('\n')}`,
  );
}

/** Milliseconds; 0 means no limit. */
const isWithin = (ms: number, max: number) => ms > 0 && ms <= max;
