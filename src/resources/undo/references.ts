/** What stands in the way of records that are to be put back or removed. */

import type { UnitOfWork } from '../../context/context.ts';
import { adhoc } from '../../db/database.ts';
import type { ShapeName } from '../../db/sql/shape.ts';
import { name, sql } from '../../db/sql/sql.ts';
import { isUnique } from '../contacts/identity.ts';
import type { Portions } from '../kernel/portions.ts';
import type { Contents } from './contents.ts';
import { type Kind, referencesOf, referringTo, tableOf } from './kinds.ts';
import type { Asked } from './runs.ts';

type Rows = Contents['rows'];

/** Which of the records that may be removed are referred to by others that are not to be taken back. */
export async function readHeld(
  ctx: UnitOfWork,
  asked: readonly Asked[],
  rows: Rows,
): Promise<Contents['held']> {
  const held = new Map<string, ReadonlySet<number>>();
  const going = asked.filter(({ created, alone }) => created && alone);
  for (const kind of new Set(going.map((one) => one.kind))) {
    const ids = going.filter((one) => one.kind === kind).map(({ id }) => id);
    for (const { by, column } of referringTo(kind)) {
      const known = [...(rows.get(by)?.keys() ?? [])];
      const found = await ctx.db.query<{ id: number }>(
        sql`SELECT DISTINCT ${name(column)} AS id FROM ${name(tableOf[by])}
          WHERE account_id = ${ctx.viewer.accountId} AND ${name(column)} = ANY(${ids}::bigint[])
            AND NOT id = ANY(${known}::bigint[])`,
        adhoc,
      );
      held.set(`${by} ${column}`, new Set(found.map(({ id }) => id)));
    }
  }
  return held;
}

/** Which of the records are there that values to put back refer to. */
export async function readKnown(
  ctx: UnitOfWork,
  asked: readonly Asked[],
  portions: Portions,
): Promise<Contents['known']> {
  const named = new Map<ShapeName, Set<number>>();
  await portions.each(asked, ({ kind, values, steps }) => {
    for (const { column, to } of referencesOf(kind)) {
      const ids = named.get(to) ?? new Set();
      named.set(to, ids);
      for (const row of [values, ...steps.map(({ before }) => before)]) {
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
  asked: readonly Asked[],
  rows: Rows,
  portions: Portions,
): Promise<Pick<Contents, 'contacts' | 'assigned'>> {
  const { accountId } = ctx.viewer;
  const wanted = { email: new Set<string>(), phone: new Set<string>() };
  await portions.each(asked, ({ kind, values }) => {
    if (kind !== 'contact') return;
    for (const field of ['email', 'phone'] as const) {
      const text: unknown = JSON.parse(values.get(field) ?? '""');
      if (typeof text === 'string' && isUnique(field, text)) wanted[field].add(text);
    }
  });
  const holders = new Map<number, { readonly email: string; readonly phone: string }>();
  const found = await ctx.db.query<{ id: number; email: string; phone: string }>(
    sql`SELECT id, email, phone FROM contacts WHERE account_id = ${accountId}
      AND (NULLIF(email, '') = ANY(${[...wanted.email]}::text[])
        OR phone COLLATE "C" = ANY(${[...wanted.phone]}::text[]))`,
    adhoc,
  );
  await portions.each(found, ({ id, email, phone }) =>
    holders.set(id, { email: JSON.stringify(email), phone: JSON.stringify(phone) }),
  );
  const assignments = asked
    .filter(({ kind, values }) => kind === 'deal_assignee' && values.size > 0)
    .map(({ id }) =>
      rows
        .get('deal_assignee' satisfies Kind)
        ?.get(id)
        ?.get('deal_id'),
    );
  const deals = assignments.flatMap((id) => id ?? []).map(Number);
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
