/** Emptying the audit trail. */

import type { UnitOfWork } from '../../context/context.ts';
import { adhoc } from '../../db/database.ts';
import { name, raw, type Sql, sql } from '../../db/sql/sql.ts';
import { clock } from '../kernel/write/moment.ts';
import { type Kind, kinds, tables } from './kinds.ts';
import { entriesOn, type Page } from './pages.ts';
import { isSubject, type Subject } from './records.ts';

/**
 * Takes the values out of the entries on a page that are about the erasure's records. Of a record that lives
 * on, because its deal has another contact now, texts are left that it still shows, so that clients which
 * follow the changes late arrive at what there is. It is locked meanwhile, so that nobody is writing about it.
 * @returns how many entries were emptied
 */
export async function emptyEntries(ctx: UnitOfWork, subject: Subject, page: Page): Promise<number> {
  const { accountId } = ctx.viewer;
  const rows = await ctx.db.query<{ kind: Kind; ids: number[] }>(
    sql`WITH ${entriesOn(ctx, page)}
      SELECT record_type AS kind, array_agg(DISTINCT record_id ORDER BY record_id) AS ids FROM page
      WHERE ${isSubject(ctx, subject, raw('page.record_type'), raw('page.record_id'))}
      GROUP BY record_type`,
    adhoc,
  );
  const idsOf = new Map(rows.map(({ kind, ids }) => [kind, ids]));
  let entries = await emptyOthers(ctx, page);
  for (const kind of kinds) {
    const ids = idsOf.get(kind) ?? [];
    if (ids.length === 0) continue;
    const table = name(tables[kind]);
    await ctx.db.query(
      sql`SELECT FROM ${table} WHERE account_id = ${accountId} AND id = ANY(${ids}::bigint[]) ORDER BY id FOR NO KEY UPDATE`,
      adhoc,
    );
    const emptied = await ctx.db.query(
      sql`WITH ${entriesOn(ctx, page)}, living AS MATERIALIZED (
          SELECT id, to_json(row) AS now FROM ${table} AS row
          WHERE row.account_id = ${accountId} AND row.id = ANY(${ids}::bigint[])
        )
        UPDATE audit_entries AS entry
        SET before = ${valuesOf('before', isLeft)}, after = ${valuesOf('after', isLeft)}, erased_at = ${clock}
        FROM page LEFT JOIN living ON living.id = page.record_id
        WHERE page.record_type = ${kind} AND page.record_id = ANY(${ids}::bigint[]) AND ${isOfPage(accountId)}
        RETURNING entry.id`,
      adhoc,
    );
    entries += emptied.length;
  }
  return entries;
}

const isOfPage = (accountId: number): Sql =>
  sql`entry.account_id = ${accountId} AND entry.id = page.id AND entry.created_at = page.created_at`;

/** Of a JSON object, the values for which a condition holds; null for all others. */
const valuesOf = (column: 'before' | 'after', isKept: Sql): Sql =>
  sql`(SELECT json_object_agg(field.name, CASE WHEN ${isKept} THEN field.value END ORDER BY field.at)
      FROM json_each(entry.${name(column)}) WITH ORDINALITY AS field (name, value, at))`;

/** Timestamps are not a person's text, although JSON has them as strings. */
const isLeft =
  raw(`living.now IS NOT NULL AND (json_typeof(field.value) NOT IN ('string', 'array', 'object')
  OR field.value::text ~ '^"\\d{4}-\\d\\d-\\d\\dT[\\d:.]+(Z|[+]00:00)"$'
  OR field.value::text = (living.now -> field.name)::text)`);

/**
 * Entries of which nothing says whom they are about. Older versions recorded the deliveries of a removed
 * webhook in the trail, answers of its receiver included, and of an export the conditions as the client wrote
 * them, keys of attributes included.
 */
async function emptyOthers(ctx: UnitOfWork, page: Page): Promise<number> {
  const isDelivery = raw(
    "page.action = 'webhook_delivery.delete' AND page.record_type = 'webhook_delivery'",
  );
  const isExport = raw(
    `page.action = 'account.export' AND (page.after ->> 'conditions') ~ '[^a-z_", \\[\\]]'`,
  );
  const emptied = await ctx.db.query(
    sql`WITH ${entriesOn(ctx, page)}
      UPDATE audit_entries AS entry
      SET before = NULL, after = ${valuesOf('after', raw("field.name <> 'conditions'"))}, erased_at = ${clock}
      FROM page WHERE ${isOfPage(ctx.viewer.accountId)}
        AND ((${isDelivery} AND page.before IS NOT NULL) OR (${isExport}))
      RETURNING entry.id`,
    adhoc,
  );
  return emptied.length;
}
