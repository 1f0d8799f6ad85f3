/** Mending what former rules stored, in an account and step by step. */

import type { Context, UnitOfWork } from '../../context/context.ts';
import { adhoc } from '../../db/database.ts';
import { isBroken } from '../../db/errors.ts';
import { join, name, sql } from '../../db/sql/sql.ts';
import { changeMany } from '../kernel/batch/change.ts';
import type { Resource } from '../kernel/resource.ts';
import { inTransaction } from '../kernel/write/transaction.ts';
import { resources } from '../shapes.ts';
import { reviewName } from './account_name.ts';
import { type Finding, findingOf, findingsOf, repairable, textsOf } from './findings.ts';
import { type Example, maxExamples, type Review } from './review.ts';

/** Records that one transaction mends. */
const stepSize = 250;

/**
 * Finds all of an account's records that former rules stored otherwise, and mends them where that is asked
 * for: as changes like any other, with their entries in the trail. What another contact has by now stays.
 * @param review receives what was found
 */
export async function reviewAccount(
  ctx: Omit<Context, 'signing'>,
  review: Review,
  isRepairing: boolean,
): Promise<void> {
  await reviewName(ctx, review, isRepairing);
  for (const resource of repairable) {
    for await (const page of findingsOf(ctx, resource)) {
      review.found += page.length;
      for (let at = 0; at < page.length; at += stepSize) {
        const findings = page.slice(at, at + stepSize);
        const free = await withoutCollisions(ctx, resource, findings, review);
        note(ctx, resource, free, review);
        if (isRepairing) review.repaired += await repair(ctx, resource, free, review);
      }
    }
  }
}

const exampleOf = (
  { viewer }: UnitOfWork,
  { one }: Resource,
  { id, before, after }: Finding,
  field: string,
): Example => ({
  account: viewer.accountId,
  record: one,
  id,
  field,
  stored: before[field],
  becomes: after[field],
});

function note(ctx: UnitOfWork, of: Resource, findings: readonly Finding[], review: Review): void {
  for (const finding of findings) {
    for (const field of Object.keys(finding.after)) {
      if (review.examples.length >= maxExamples) return;
      review.examples.push(exampleOf(ctx, of, finding, field));
    }
  }
}

/** Leaves out fields whose value another contact has, or is to get, and reports them. */
async function withoutCollisions(
  ctx: UnitOfWork,
  resource: Resource,
  findings: readonly Finding[],
  review: Review,
): Promise<readonly Finding[]> {
  if (resource !== resources.contacts) return findings;
  let rest = findings;
  for (const field of ['email', 'phone']) {
    const values = rest.flatMap(({ after }) => (after[field] ? String(after[field]) : []));
    const rows = await ctx.db.query<{ id: number; value: string }>(
      sql`SELECT id, ${name(field)} AS value FROM contacts
        WHERE account_id = ${ctx.viewer.accountId} AND ${name(field)} COLLATE "C" = ANY(${values}::text[])`,
      adhoc,
    );
    const holders = new Map(rows.map(({ id, value }) => [value, id]));
    rest = rest.flatMap((finding) => {
      const value = finding.after[field];
      if (typeof value !== 'string' || value === '' || !/\d|@/.test(value)) return [finding];
      const holder = holders.get(value);
      if (holder === undefined || holder === finding.id) {
        holders.set(value, finding.id);
        return [finding];
      }
      review.collisions.push({ ...exampleOf(ctx, resource, finding, field), contact_id: holder });
      const { [field]: _, ...after } = finding.after;
      return Object.keys(after).length > 0 ? [{ ...finding, after }] : [];
    });
  }
  return rest;
}

/** @returns how many records were mended */
async function repair(
  ctx: Omit<Context, 'signing'>,
  resource: Resource,
  findings: readonly Finding[],
  review: Review,
): Promise<number> {
  try {
    return await inTransaction(ctx, (tx) => write(tx, resource, findings));
  } catch (error) {
    if (!isBroken('unique')(error)) throw error;
    const [only] = findings;
    if (only && findings.length === 1) {
      for (const field of Object.keys(only.after)) {
        review.collisions.push({ ...exampleOf(ctx, resource, only, field), contact_id: null });
      }
      return 0;
    }
    // Somebody has taken one of the values meanwhile.
    let repaired = 0;
    for (const finding of findings) repaired += await repair(ctx, resource, [finding], review);
    return repaired;
  }
}

async function write(
  tx: UnitOfWork,
  resource: Resource,
  findings: readonly Finding[],
): Promise<number> {
  const { accountId, defaultCountry } = tx.viewer;
  const byId = new Map(findings.map((finding) => [finding.id, finding]));
  const rows = await tx.db.query<Record<string, unknown> & { id: number }>(
    sql`SELECT id, ${join(textsOf(resource).map(name))} FROM ${name(resource.table)}
      WHERE account_id = ${accountId} AND id = ANY(${[...byId.keys()]}::bigint[])
      ORDER BY id FOR NO KEY UPDATE`,
    adhoc,
  );
  const changes = rows.flatMap(({ id, ...stored }) => {
    // Written since it was found: what it has now is what counts.
    const now = findingOf(resource, id, stored, defaultCountry);
    const after = Object.entries(byId.get(id)?.after ?? {}).filter(
      ([field, value]) => JSON.stringify(now?.after[field]) === JSON.stringify(value),
    );
    return after.length > 0 ? [{ id, fields: Object.fromEntries(after) }] : [];
  });
  await changeMany(tx, resource, changes);
  return changes.length;
}
