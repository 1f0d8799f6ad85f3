/** What an erasure does, one step after the other. */

import type { UnitOfWork } from '../../context/context.ts';
import { adhoc } from '../../db/database.ts';
import { sql } from '../../db/sql/sql.ts';
import { eraseAnswers } from './answers.ts';
import { lastId, type Page, type PageSize, pageAfter } from './pages.ts';
import { eraseReceiversAnswers } from './receivers.ts';
import { findBeneath, findDeals, findLiving, hasLiving, type Subject } from './records.ts';
import { removeSubject } from './removal.ts';
import { emptyTimeline } from './timeline.ts';
import { emptyEntries } from './trail.ts';

/** How far a step has come. */
export interface Place {
  /** The last row that it has been through. */
  readonly place: number;
  /** The last row of all, as of when the step began; null before that. */
  readonly last: number | null;
}

/** What one piece of a step did. */
export interface Piece extends Place {
  /** How many entries it emptied. */
  readonly entries: number;
}

/** @returns what was done; undefined when nothing is left to do */
export type Step = (
  ctx: UnitOfWork,
  subject: Subject,
  at: Place,
  size: PageSize,
) => Promise<Piece | undefined>;

/**
 * A step that goes through a table. Rows that come once it has begun are not its concern: the contact is gone
 * by then, and what is written of records that live on is about somebody else.
 * @param work returns how many entries it emptied, if it does that
 * @param isWanted whether there may be anything to do
 */
const through =
  (
    table: string,
    work: (ctx: UnitOfWork, subject: Subject, page: Page) => Promise<unknown>,
    isWanted: (ctx: UnitOfWork, subject: Subject) => Promise<boolean> = async () => true,
  ): Step =>
  async (ctx, subject, at, size) => {
    if (at.last === null && !(await isWanted(ctx, subject))) return undefined;
    const last = at.last ?? (await lastId(ctx, table));
    const page = await pageAfter(ctx, table, at.place, last, size);
    if (!page) return undefined;
    const entries = await work(ctx, subject, page);
    return { place: page.to, last, entries: typeof entries === 'number' ? entries : 0 };
  };

/** A step that hardly writes: its pieces may be larger. */
const reading =
  (step: Step): Step =>
  (ctx, subject, at, { rows, bytes }) =>
    step(ctx, subject, at, { rows: rows * 5, bytes: bytes * 5 });

const removal: Step = async (ctx, subject, at, size) =>
  (await removeSubject(ctx, subject, size)) ? { ...at, entries: 0 } : undefined;

/** The records that were found need not be remembered any longer. */
const forget = async (
  { db, viewer: { accountId } }: UnitOfWork,
  { id }: Subject,
  { from, to }: Page,
): Promise<void> => {
  await db.query(
    sql`DELETE FROM erasure_records WHERE account_id = ${accountId} AND erasure_id = ${id} AND id > ${from} AND id <= ${to}`,
    adhoc,
  );
};

/**
 * By the names under which they are stored. The order counts: the timeline is emptied before the trail, which
 * tells of it, and the trail before the answers of receivers, since what was sent is read from there.
 */
export const steps: ReadonlyMap<string, Step> = new Map([
  ['removal', removal],
  ['deals', reading(through('audit_entries', findDeals))],
  ['beneath', reading(through('audit_entries', findBeneath))],
  ['products', through('deal_products', findLiving('deal_product'), hasLiving)],
  ['assignees', through('deal_assignees', findLiving('deal_assignee'), hasLiving)],
  ['events', through('events', findLiving('event'), hasLiving)],
  ['timeline', through('events', emptyTimeline, hasLiving)],
  ['trail', through('audit_entries', emptyEntries)],
  ['answers', through('idempotency_keys', eraseAnswers)],
  ['receivers', through('webhook_deliveries', eraseReceiversAnswers)],
  ['records', through('erasure_records', forget)],
]);
