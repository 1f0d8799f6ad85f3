/** Events that the service writes itself, in the statement of the change that they record. */
import { name, type Sql, sql } from '../../db/sql/sql.ts';
import type { Author } from '../audit/entry.ts';

/** What the timeline shows of a deal by itself. */
export const ownKinds = [
  'deal_opened',
  'deal_won',
  'deal_lost',
  'deal_reopened',
  'deal_stage_change',
  'deal_product_added',
  'deal_product_removed',
] as const;

export type OwnKind = (typeof ownKinds)[number];

/**
 * @param kind or an SQL expression of it
 * @param deal the WITH query that returns the deal's row as the statement leaves it: locked, so that
 *   it tells the contact that it has
 * @param attributes an SQL expression of type json: the details of the kind
 * @param at when it happened; when the deal was written unless given
 * @returns the INSERT of an event of each deal, done as it is written, whose row it returns
 */
export function eventEntry(
  { accountId, userId }: Author['viewer'],
  kind: OwnKind | Sql,
  deal: string,
  attributes: Sql,
  at: Sql = sql`${name(deal)}.updated_at`,
): Sql {
  return sql`INSERT INTO events (account_id, deal_id, contact_id, created_by_id, kind, title, from_me, done_at,
      additional_attributes, created_at, updated_at)
    SELECT ${accountId}::bigint, ${name(deal)}.id, ${name(deal)}.contact_id, NULLIF(${userId}::bigint, 0), ${kind}, '', true,
      ${at}, ${attributes}, ${at}, ${at}
    FROM ${name(deal)} RETURNING *`;
}
