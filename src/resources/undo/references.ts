/** What stands in the way of records that are to be put back or removed. */

import type { UnitOfWork } from '../../context/context.ts';
import { adhoc } from '../../db/database.ts';
import type { ShapeName } from '../../db/sql/shape.ts';
import { name, raw, sql } from '../../db/sql/sql.ts';
import type { Portions } from '../../lib/portions.ts';
import { auditedValue } from '../audit/columns.ts';
import { isUnique } from '../contacts/identity.ts';
import type { Contents } from './contents.ts';
import { type Kind, referencesOf, referringTo, tableOf } from './kinds.ts';
import { idsIn, type RecordReversal } from './runs.ts';
import { valuesOf } from './values.ts';

type Rows = Contents['rows'];

/** Which of the records that may be removed are referred to by others that are not to be taken back. */
export async function readReferences(
  ctx: UnitOfWork,
  reversals: readonly RecordReversal[],
  rows: Rows,
): Promise<Contents['references']> {
  const references = new Map<string, ReadonlySet<number>>();
  const going = reversals.filter(({ created, alone }) => created && alone);
  for (const kind of new Set(going.map((one) => one.kind))) {
    const ids = going.filter((one) => one.kind === kind).map(({ id }) => id);
    for (const { by, column } of referringTo(kind)) {
      const known = [...(rows.get(by)?.keys() ?? [])];
      const present = await ctx.db.query<{ id: number }>(
        sql`SELECT DISTINCT ${name(column)} AS id FROM ${name(tableOf[by])}
          WHERE account_id = ${ctx.viewer.accountId} AND ${name(column)} = ANY(${ids}::bigint[])
            AND NOT id = ANY(${known}::bigint[])`,
        adhoc,
      );
      references.set(`${by} ${column}`, new Set(present.map(({ id }) => id)));
    }
  }
  return references;
}

/** Which of the records are there that values to put back refer to. */
export async function readTargets(
  ctx: UnitOfWork,
  reversals: readonly RecordReversal[],
  portions: Portions,
): Promise<Contents['known']> {
  const named = new Map<ShapeName, Set<number>>();
  await portions.each(reversals, ({ kind, values, steps, removed }) => {
    for (const { column, to } of referencesOf(kind)) {
      const ids = named.get(to) ?? new Set();
      named.set(to, ids);
      const rows = [values, ...steps.map(({ before }) => before)];
      for (const row of removed ? [...rows, removed.before] : rows) {
        const value = row.get(column);
        if (value !== undefined && value !== 'null') ids.add(Number(value));
      }
    }
  });
  const known = new Map<ShapeName, ReadonlySet<number>>();
  for (const [table, ids] of named) {
    const rows = await ctx.db.query<{ id: number }>(
      sql`SELECT id FROM ${name(table)} WHERE account_id = ${ctx.viewer.accountId} AND id = ANY(${[...ids]}::bigint[])`,
      adhoc,
    );
    known.set(table, new Set(rows.map(({ id }) => id)));
  }
  return known;
}

/** The records that hold unique values which others are to get back. */
export async function readHolders(
  ctx: UnitOfWork,
  reversals: readonly RecordReversal[],
  rows: Rows,
  portions: Portions,
): Promise<Pick<Contents, 'contacts' | 'assigned'>> {
  const { accountId } = ctx.viewer;
  const texts = { email: new Set<string>(), phone: new Set<string>() };
  await portions.each(reversals, ({ kind, values, removed }) => {
    if (kind !== 'contact') return;
    for (const field of ['email', 'phone'] as const) {
      const text: unknown = JSON.parse(values.get(field) ?? removed?.before.get(field) ?? '""');
      if (typeof text === 'string' && isUnique(field, text)) texts[field].add(text);
    }
  });
  const holders = new Map<number, { readonly email: string; readonly phone: string }>();
  const contacts = await ctx.db.query<{ id: number; email: string; phone: string }>(
    sql`SELECT id, email, phone FROM contacts WHERE account_id = ${accountId}
      AND (NULLIF(email, '') = ANY(${[...texts.email]}::text[])
        OR phone COLLATE "C" = ANY(${[...texts.phone]}::text[]))`,
    adhoc,
  );
  await portions.each(contacts, ({ id, email, phone }) =>
    holders.set(id, { email: JSON.stringify(email), phone: JSON.stringify(phone) }),
  );
  const assignments = rows.get('deal_assignee' satisfies Kind);
  const deals = reversals
    .filter(({ kind, values, removed }) => kind === 'deal_assignee' && (values.size > 0 || removed))
    .flatMap(({ id, removed }) => idsIn(removed?.before ?? assignments?.get(id), 'deal_id'));
  const pairs = await ctx.db.query<{ id: number; pair: string }>(
    sql`SELECT id, deal_id || ' ' || user_id AS pair FROM deal_assignees
      WHERE account_id = ${accountId} AND deal_id = ANY(${deals}::bigint[])`,
    adhoc,
  );
  return {
    contacts: holders,
    assigned: new Map(pairs.map(({ id, pair }) => [pair, id])),
  };
}

/**
 * When records were created and last changed that former versions removed, whose trail does not say it with
 * the removal; none of a record whose creation is not in the trail any more.
 */
export async function readMoments(
  ctx: UnitOfWork,
  reversals: readonly RecordReversal[],
): Promise<Contents['moments']> {
  const lacking = reversals.filter(({ removed }) => removed && !removed.remains);
  const rows = await ctx.db.query<{ key: string; kind: Kind; moments: string }>(
    sql`SELECT record.kind || ' ' || record.id AS key, record.kind, json_build_object('created_at',
        ${raw(auditedValue('timestamp', "max(e.created_at) FILTER (WHERE e.action LIKE '%.create')"))},
        'updated_at', ${raw(auditedValue('timestamp', 'max(e.created_at)'))})::text AS moments
      FROM unnest(${lacking.map(({ kind }) => kind)}::text[], ${lacking.map(({ id }) => id)}::bigint[],
          ${lacking.map(({ removed }) => removed?.entry ?? 0)}::bigint[]) AS record (kind, id, entry)
      JOIN audit_entries AS e ON e.account_id = ${ctx.viewer.accountId} AND e.record_type = record.kind
        AND e.record_id = record.id AND e.id < record.entry
      WHERE split_part(e.action, '.', 2) IN ('create', 'update')
      GROUP BY record.kind, record.id HAVING bool_or(e.action LIKE '%.create')`,
    adhoc,
  );
  return new Map(rows.map(({ key, kind, moments }) => [key, valuesOf(kind, moments)]));
}
