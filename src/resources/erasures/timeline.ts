/** What the timelines of deals that live on say of before. */

import type { UnitOfWork } from '../../context/context.ts';
import { adhoc } from '../../db/database.ts';
import { raw, sql } from '../../db/sql/sql.ts';
import { auditEntries, entriesOf } from '../audit/entry.ts';
import { ownKinds } from '../events/entry.ts';
import { clock } from '../kernel/write/moment.ts';
import { isOn, type Page } from './pages.ts';
import { isSubject, type Subject } from './records.ts';

/** Whether a name in an event is one that its deal, or the product, no longer has. */
const isFormer = (accountId: number) =>
  sql`CASE said.name
    WHEN 'deal_name' THEN said.value #>> '{}' NOT IN ('', deal.name)
    WHEN 'product_name' THEN said.value #>> '{}' <> ''
      AND NOT EXISTS (SELECT FROM deal_products AS attached
        WHERE attached.account_id = ${accountId} AND attached.deal_id = deal.id
          AND attached.product_name = said.value #>> '{}')
      AND NOT EXISTS (SELECT FROM products AS product
        WHERE product.account_id = ${accountId} AND product.name = said.value #>> '{}'
          AND product.id = (event.additional_attributes ->> 'product_id')::bigint)
    ELSE false END`;

const said = raw(
  'json_each(event.additional_attributes) WITH ORDINALITY AS said (name, value, at)',
);

/**
 * The service's own events hold the names that a deal and its products had: those which are not shown
 * elsewhere any more are emptied. Each change is in the trail, like any other, without what was there before.
 */
export async function emptyTimeline(ctx: UnitOfWork, subject: Subject, page: Page): Promise<void> {
  const { accountId } = ctx.viewer;
  const former = isFormer(accountId);
  await ctx.db.query(
    sql`WITH found AS MATERIALIZED (
        SELECT event.id, (SELECT json_object_agg(said.name, CASE WHEN ${former} THEN '""'::json ELSE said.value END ORDER BY said.at)
          FROM ${said}) AS attributes
        FROM events AS event JOIN deals AS deal ON deal.account_id = ${accountId} AND deal.id = event.deal_id
        WHERE event.account_id = ${accountId} AND ${isOn(page, 'event')} AND event.kind = ANY(${ownKinds}::text[])
          AND ${isSubject(ctx, subject, raw("'deal'"), raw('event.deal_id'))}
          AND json_typeof(event.additional_attributes) = 'object'
          AND EXISTS (SELECT FROM ${said} WHERE ${former})
      ), written AS (
        UPDATE events SET additional_attributes = found.attributes, updated_at = ${clock}
        FROM found WHERE events.account_id = ${accountId} AND events.id = found.id
        RETURNING events.id, events.additional_attributes, events.updated_at
      ) ${auditEntries(ctx, entriesOf('event.update', 'written', emptied))}`,
    adhoc,
  );
}

const emptied = {
  before: raw(`'{"additional_attributes":null}'::json`),
  after: raw(`json_build_object('additional_attributes', written.additional_attributes)`),
};
