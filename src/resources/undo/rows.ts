/** Reading the records themselves that may be put back or removed. */

import type { UnitOfWork } from '../../context/context.ts';
import { adhoc } from '../../db/database.ts';
import { empty, join, name, raw, sql } from '../../db/sql/sql.ts';
import { coded } from '../../errors/codes.ts';
import { invalid } from '../../errors/errors.ts';
import type { Portions } from '../../lib/portions.ts';
import { type Kind, referencesOf, tableOf } from './kinds.ts';
import { idsIn, type RecordReversal, type Row } from './runs.ts';
import { columnsOf, valuesOf } from './values.ts';

/** Deals by what may change of them and beneath. */
export interface AffectedDeals {
  /** Those with products that may change or go. */
  readonly priced: ReadonlySet<number>;
  /** Those that may get another contact, and their events with them. */
  readonly moved: ReadonlySet<number>;
  /** Those to which events may come back. */
  readonly eventful: ReadonlySet<number>;
}

/** Finds the deals of products, which never change. */
export async function readBeneath(
  ctx: UnitOfWork,
  reversals: readonly RecordReversal[],
): Promise<AffectedDeals> {
  const products = reversals.filter(({ kind }) => kind === 'deal_product');
  const rows = await ctx.db.query<{ deal_id: number }>(
    sql`SELECT DISTINCT deal_id FROM deal_products
      WHERE account_id = ${ctx.viewer.accountId} AND id = ANY(${products.map(({ id }) => id)}::bigint[])`,
    adhoc,
  );
  const moved = reversals.filter(({ kind, values }) => kind === 'deal' && values.has('contact_id'));
  return {
    priced: new Set([...rows.map(({ deal_id }) => deal_id), ...dealsIn(products)]),
    moved: new Set(moved.map(({ id }) => id)),
    eventful: new Set(dealsIn(reversals.filter(({ kind }) => kind === 'event'))),
  };
}

/** The deals that removed records belonged to. */
const dealsIn = (reversals: readonly RecordReversal[]): number[] =>
  reversals.flatMap(({ removed }) => idsIn(removed?.before, 'deal_id'));

/** Columns that a plan needs of every record of a kind, beside those that it refers to others by. */
const needed: Partial<Record<Kind, readonly string[]>> = {
  stage: ['position'],
  deal: ['total_deal_products_amount_in_cents'],
  deal_product: ['quantity', 'unit_amount_in_cents', 'total_amount_in_cents'],
  event: ['kind'],
};

/** How many records of a kind one call may change. */
const maxRows = 50_000;

/** How many of them one statement returns. */
const pageSize = 2_000;

/**
 * Records of a kind that are asked about, and those that change with them, all
 * of them locked.
 * @throws {Fault} VALIDATION_FAILED when there are too many beneath the deals
 */
export async function readRows(
  ctx: UnitOfWork,
  kind: Kind,
  reversals: readonly RecordReversal[],
  { priced, moved, eventful }: AffectedDeals,
  portions: Portions,
): Promise<Map<number, Row>> {
  const own = reversals.filter((one) => one.kind === kind);
  const fields = new Set<string>();
  await portions.each(own, ({ values, overtaken }) => {
    for (const field of values.keys()) fields.add(field);
    for (const group of overtaken) for (const field of group.fields) fields.add(field);
  });
  const columns = new Set([
    ...referencesOf(kind).map(({ column }) => column),
    ...(needed[kind] ?? []),
    ...[...fields].filter((field) => field in columnsOf(kind)),
  ]);
  const ids = own.map(({ id }) => id);
  if (kind === 'deal') ids.push(...priced, ...eventful);
  const deals = kind === 'deal_product' ? priced : kind === 'event' ? moved : new Set<number>();
  const also = deals.size > 0 ? sql`OR deal_id = ANY(${[...deals]}::bigint[])` : empty;
  if (ids.length + deals.size === 0) return new Map();
  const members = [...columns].map((column) => sql`${raw(`'${column}'`)}, r.${name(column)}`);
  const of = sql`SELECT id, json_build_object(${members.length > 0 ? join(members) : empty})::text AS row FROM ${name(tableOf[kind])} AS r
    WHERE account_id = ${ctx.viewer.accountId} AND (id = ANY(${ids}::bigint[]) ${also})`;
  const byId = new Map<number, Row>();
  for (let after: number | undefined = 0; after !== undefined; ) {
    const rows: readonly RowText[] = await ctx.db.query<RowText>(
      sql`${of} AND id > ${after}::bigint ORDER BY id LIMIT ${pageSize} FOR UPDATE`,
      adhoc,
    );
    await portions.each(rows, ({ id, row }) => byId.set(id, valuesOf(kind, row)));
    if (byId.size > maxRows) {
      throw invalid(
        'after',
        coded('too_many', `changes more than ${maxRows} records of deals: choose a shorter period`),
      );
    }
    after = rows.length < pageSize ? undefined : rows.at(-1)?.id;
  }
  return byId;
}

interface RowText {
  readonly id: number;
  /** A JSON object. */
  readonly row: string;
}
