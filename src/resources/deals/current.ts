import type { UnitOfWork } from '../../context/context.ts';
import { expression } from '../../db/sql/computed_column.ts';
import { empty, noId, raw, type Sql, sql } from '../../db/sql/sql.ts';
import { type Current, snapshot, type Unread } from '../kernel/write/update_after_read.ts';
import type { Place } from './positions/place.ts';
import { position } from './positions/position.ts';
import { type DealFields, deals } from './record.ts';

/** A stage with the names that events show. */
export interface StagePlace {
  readonly stage_id: number;
  readonly stage_name: string;
  readonly pipeline_id: number;
  readonly pipeline_name: string;
}

/** A deal before a change, with what the change needs to know. */
export interface CurrentDeal extends Current<typeof deals.fields>, Place, StagePlace {
  readonly pipeline_id: number;
  /** The stage asked for, if it exists. */
  readonly target: StagePlace | null;
  readonly contact_exists: boolean;
}

const { columns, read: readRow } = snapshot(deals, 'd');

/** The same without what is looked up for a change. */
export type PlacedDeal = Omit<CurrentDeal, 'target' | 'contact_exists'>;

const deal = (accountId: number): Sql =>
  sql`${columns}, ${expression(position, 'd', 's', accountId)} AS position, s.name AS stage_name, sp.name AS pipeline_name`;

const fromDeals = (accountId: number): Sql =>
  sql`FROM deals AS d
      LEFT JOIN stages AS s ON s.account_id = ${accountId} AND s.id = d.stage_id
      LEFT JOIN pipelines AS sp ON sp.account_id = ${accountId} AND sp.id = s.pipeline_id`;

const row = (alias: string): Sql =>
  raw(`json_build_object('stage_id', ${alias}.id, 'stage_name', ${alias}.name,
    'pipeline_id', ${alias}p.id, 'pipeline_name', ${alias}p.name)`);

/**
 * Reads a deal. Where another transaction moves it while this one waits for its lock, PostgreSQL
 * reads the deal anew but no joined row: its stage has no name then, and an inner join would lose it.
 * @param fields names the stage and the contact to look up besides
 * @param locking whether to lock it for the transaction, against whatever may come to belong to it, too, if a
 *   contact is sent
 * @returns undefined when the account has no such deal
 */
export async function currentDeal(
  ctx: UnitOfWork,
  id: number,
  fields: DealFields,
  locking: boolean,
): Promise<CurrentDeal | undefined> {
  const { accountId } = ctx.viewer;
  const [current] = await ctx.db.query<
    Unread<Omit<CurrentDeal, 'target'> & { target: string | null }>
  >(
    sql`SELECT ${deal(accountId)},
        CASE WHEN t.id IS NOT NULL THEN ${row('t')}::text END AS target,
        EXISTS (SELECT FROM contacts AS c
          WHERE c.account_id = ${accountId} AND c.id = ${fields.contact_id ?? noId}) AS contact_exists
      ${fromDeals(accountId)}
      LEFT JOIN stages AS t ON t.account_id = ${accountId} AND t.id = ${fields.stage_id ?? noId}
      LEFT JOIN pipelines AS tp ON tp.account_id = ${accountId} AND tp.id = t.pipeline_id
      WHERE d.account_id = ${accountId} AND d.id = ${id} ${locks(fields.contact_id ? locking && 'all' : locking)}`,
  );
  return current && { ...readRow(current), target: current.target && JSON.parse(current.target) };
}

/**
 * Reads deals, by their ids.
 * @param locking whether to lock them for the transaction, `'all'`: against whatever may come to
 *   belong to them, too
 */
export async function currentDeals(
  { db, viewer: { accountId } }: UnitOfWork,
  ids: readonly number[],
  locking: boolean | 'all',
): Promise<ReadonlyMap<number, PlacedDeal>> {
  const rows = await db.query<Unread<PlacedDeal>>(
    sql`SELECT ${deal(accountId)} ${fromDeals(accountId)}
      WHERE d.account_id = ${accountId} AND d.id = ANY(${ids}::bigint[]) ORDER BY d.id ${locks(locking)}`,
  );
  return new Map(rows.map((each) => [each.id, readRow(each)]));
}

function locks(locking: boolean | 'all'): Sql {
  if (!locking) return empty;
  return raw(locking === 'all' ? 'FOR UPDATE OF d' : 'FOR NO KEY UPDATE OF d');
}
