import type { UnitOfWork } from '../../../context/context.ts';
import { name, type Sql, sql } from '../../../db/sql/sql.ts';
import type { Resource } from '../resource.ts';
import { lockAlone } from '../write/lock.ts';

/**
 * Waits until this is the only transaction importing into the account, so that a record it does not find is
 * not there.
 */
export async function lockImports({ db, viewer }: UnitOfWork): Promise<void> {
  await lockAlone(db, viewer.accountId, 'import');
}

/** A record and the value of one of its custom attributes: null where it lacks the key. */
export interface AttributeValue {
  readonly id: number;
  readonly value: string | null;
}

/**
 * A page of an account's records with one of their custom attributes, in the order of their ids.
 * @param after the id after which the page begins
 * @param max records of the page; the last page has fewer
 */
export const attributeValuesAfter = (
  ctx: UnitOfWork,
  resource: Pick<Resource, 'table'>,
  key: string,
  after: number,
  max: number,
): Promise<AttributeValue[]> =>
  attributeValues(ctx, resource, key, sql`id > ${after} ORDER BY id LIMIT ${max}`);

/**
 * The same of the records that belong to certain others.
 * @param column that refers to the others
 * @param ids of the others
 */
export const attributeValuesOf = (
  ctx: UnitOfWork,
  resource: Pick<Resource, 'table'>,
  key: string,
  column: string,
  ids: readonly number[],
): Promise<AttributeValue[]> =>
  attributeValues(ctx, resource, key, sql`${name(column)} = ANY(${ids}::bigint[])`);

const attributeValues = (
  { db, viewer }: UnitOfWork,
  { table }: Pick<Resource, 'table'>,
  key: string,
  which: Sql,
): Promise<AttributeValue[]> =>
  db.query(
    sql`SELECT id, custom_attributes->>${key} AS value FROM ${name(table)}
      WHERE account_id = ${viewer.accountId} AND ${which}`,
  );
