/** Finding the records that an erasure is about, as far as the trail and the tables show. */

import type { UnitOfWork } from '../../context/context.ts';
import { adhoc } from '../../db/database.ts';
import { empty, name, raw, type Sql, sql } from '../../db/sql/sql.ts';
import { dealChildren, type Kind, tables } from './kinds.ts';
import { entriesOn, isOn, type Page } from './pages.ts';

/** What its steps need to know of an erasure. */
export interface Subject {
  readonly id: number;
  readonly contact_id: number;
}

/** Whether the trail knows a contact, whatever has become of it, or the account has it. */
export async function isKnown({ db, viewer }: UnitOfWork, contactId: number): Promise<boolean> {
  const [row] = await db.query<{ known: boolean }>(
    sql`SELECT EXISTS (SELECT FROM contacts WHERE account_id = ${viewer.accountId} AND id = ${contactId})
      OR EXISTS (SELECT FROM audit_entries WHERE account_id = ${viewer.accountId}
        AND record_type = 'contact' AND record_id = ${contactId}) AS known`,
    adhoc,
  );
  return row?.known === true;
}

/**
 * Whether the erasure is about a record.
 * @param id SQL of its id
 * @param account SQL of its account, where Citus has to know that this is the same: in an INSERT that reads its table
 */
export const isSubject = (
  { viewer }: UnitOfWork,
  { id: erasureId }: Subject,
  kind: Sql,
  id: Sql,
  account?: Sql,
): Sql =>
  sql`EXISTS (SELECT FROM erasure_records AS one WHERE one.account_id = ${viewer.accountId}
    ${account ? sql`AND one.account_id = ${account}` : empty} AND one.erasure_id = ${erasureId} AND one.record_type = ${kind} AND one.record_id = ${id})`;

const deal = raw("'deal'");
const contact = raw("'contact'");

/** The contact itself, and the deals that it, or one that was merged into it, had at any time: the trail says to whom each belonged. */
export const findDeals = async (ctx: UnitOfWork, subject: Subject, page: Page): Promise<void> => {
  await insert(ctx, subject, page, ['deal'], isOfContact(ctx, subject));
  const { accountId } = ctx.viewer;
  await ctx.db.query(
    sql`INSERT INTO erasure_records (account_id, erasure_id, record_type, record_id)
        VALUES (${accountId}, ${subject.id}, 'contact', ${subject.contact_id}) ON CONFLICT DO NOTHING`,
    adhoc,
  );
};

/** What ever was beneath the contact or these deals. */
export const findBeneath = (ctx: UnitOfWork, subject: Subject, page: Page): Promise<void> =>
  insert(
    ctx,
    subject,
    page,
    dealChildren,
    sql`(${isOfContact(ctx, subject)}
      OR ${isSubject(ctx, subject, deal, raw("(page.before ->> 'deal_id')::bigint"))}
      OR ${isSubject(ctx, subject, deal, raw("(page.after ->> 'deal_id')::bigint"))})`,
  );

/** Whether an entry names the contact, or one that was merged into it: until then, or from then on. */
const isOfContact = (ctx: UnitOfWork, subject: Subject): Sql => {
  const [before, after] = [
    raw("(page.before ->> 'contact_id')::bigint"),
    raw("(page.after ->> 'contact_id')::bigint"),
  ];
  return sql`(${subject.contact_id}::bigint IN (${before}, ${after})
    OR ${isSubject(ctx, subject, contact, before)} OR ${isSubject(ctx, subject, contact, after)})`;
};

async function insert(
  ctx: UnitOfWork,
  subject: Subject,
  page: Page,
  kinds: readonly Kind[],
  condition: Sql,
): Promise<void> {
  await ctx.db.query(
    sql`WITH ${entriesOn(ctx, page)}
      INSERT INTO erasure_records (account_id, erasure_id, record_type, record_id)
      SELECT DISTINCT ${ctx.viewer.accountId}::bigint, ${subject.id}::bigint, page.record_type, page.record_id
      FROM page WHERE page.record_type = ANY(${kinds}::text[]) AND ${condition}
      ON CONFLICT DO NOTHING`,
    adhoc,
  );
}

/** What is beneath those of the deals that live on with another contact. */
export const findLiving =
  (kind: (typeof dealChildren)[number]) =>
  async (ctx: UnitOfWork, subject: Subject, page: Page): Promise<void> => {
    await ctx.db.query(
      sql`INSERT INTO erasure_records (account_id, erasure_id, record_type, record_id)
        SELECT ${ctx.viewer.accountId}::bigint, ${subject.id}::bigint, ${kind}, living.id
        FROM ${name(tables[kind])} AS living
        WHERE living.account_id = ${ctx.viewer.accountId} AND ${isOn(page, 'living')}
          AND ${isSubject(ctx, subject, deal, raw('living.deal_id'), raw('living.account_id'))}
        ON CONFLICT DO NOTHING`,
      adhoc,
    );
  };

/** Whether any of the deals lives on. */
export async function hasLiving(ctx: UnitOfWork, subject: Subject): Promise<boolean> {
  const { accountId } = ctx.viewer;
  const rows = await ctx.db.query(
    sql`SELECT FROM erasure_records AS one JOIN deals ON deals.account_id = ${accountId} AND deals.id = one.record_id
        WHERE one.account_id = ${accountId} AND one.erasure_id = ${subject.id} AND one.record_type = 'deal' LIMIT 1`,
    adhoc,
  );
  return rows.length > 0;
}
