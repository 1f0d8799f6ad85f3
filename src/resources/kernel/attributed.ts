import type { UnitOfWork } from '../../context.ts';
import { name, type Sql, sql } from '../../db/sql.ts';
import type { Resource } from './resource.ts';

/**
 * Waits until the transaction is the only one that brings records of another system into the account: what it then
 * does not find of them there is not there.
 */
export async function bringingAlone({ db, viewer }: UnitOfWork): Promise<void> {
  const name = `crm import ${viewer.accountId}`;
  await db.query(sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
}

/** A record, and what it has under a key of its custom attributes: null without that key. */
export interface Attributed {
  readonly id: number;
  readonly value: string | null;
}

/**
 * A part of an account's records with one of their custom attributes.
 * @param after the id behind which the part begins
 * @param most records of the part; fewer are the last
 */
export const attributedAfter = (
  ctx: UnitOfWork,
  resource: Pick<Resource, 'table'>,
  key: string,
  after: number,
  most: number,
): Promise<Attributed[]> =>
  attributed(ctx, resource, key, sql`id > ${after} ORDER BY id LIMIT ${most}`);

/** The same of the records that belong to some others. @param column that refers to these */
export const attributedOf = (
  ctx: UnitOfWork,
  resource: Pick<Resource, 'table'>,
  key: string,
  column: string,
  ids: readonly number[],
): Promise<Attributed[]> =>
  attributed(ctx, resource, key, sql`${name(column)} = ANY(${ids}::bigint[])`);

const attributed = (
  { db, viewer }: UnitOfWork,
  { table }: Pick<Resource, 'table'>,
  key: string,
  which: Sql,
): Promise<Attributed[]> =>
  db.query(
    sql`SELECT id, custom_attributes->>${key} AS value FROM ${name(table)}
      WHERE account_id = ${viewer.accountId} AND ${which}`,
  );
