/** Writing without rules of a resource's own: may this viewer, then one statement with its audit entry. */
import { authorize, readId, type Subject } from '../../auth/policy.ts';
import type { Context } from '../../context.ts';
import { isBroken } from '../../db/errors.ts';
import { retrying } from '../../db/retrying.ts';
import type { Selection } from '../../db/shape.ts';
import { name, raw, type Sql, sql } from '../../db/sql.ts';
import { Faults, notFound } from '../../errors.ts';
import { auditEntry } from '../audit/entry.ts';
import { updateRecord } from './change.ts';
import { type Fields, type Input, readFields, readNew } from './fields.ts';
import { inserting } from './insert.ts';
import { requireRecord, type Stored } from './record.ts';
import { complete, type Resource } from './resource.ts';

/** How a use case creates a record from an input. */
export type Create = (
  ctx: Context,
  account: unknown,
  input: Input,
  selection: Selection,
) => Promise<Stored>;

/** How one changes the record of an id. */
export type Update = (
  ctx: Context,
  account: unknown,
  id: unknown,
  input: Input,
  selection: Selection,
) => Promise<Stored>;

/** How one removes it. */
export type Remove = (ctx: Context, account: unknown, id: unknown) => Promise<{ id: number }>;

/** Creating: every field is optional but those that null cannot clear. */
export function creating<F extends Fields>(resource: Resource<F, Subject>): Create {
  const insert = inserting(resource);
  return async (ctx, account, input, selection) => {
    authorize(ctx.viewer, account, `${resource.one}.create`);
    const faults = new Faults();
    const sent = readNew(input, resource.fields, faults);
    faults.throwIfAny();
    return insert(ctx, complete(resource, sent), selection);
  };
}

/** Changing the fields sent: NOT_FOUND, or VALIDATION_FAILED for a field that cannot be read. */
export function updating<F extends Fields>(resource: Resource<F, Subject>): Update {
  const { table: shape, one } = resource;
  const action = `${one}.update` as const;
  return async (ctx, account, id, input, selection) => {
    authorize(ctx.viewer, account, action);
    const target = { shape, action, id: readId(id) };
    const faults = new Faults();
    const sent = readFields(input, resource.fields, faults);
    if (faults.any) await requireRecord(ctx, shape, target.id);
    faults.throwIfAny();
    return retrying(() => updateRecord(ctx, target, sent, selection));
  };
}

/** What the audit trail tells of a row that is gone, as JSON. */
export const lastState = ({ audited }: Resource, row = 'gone'): Sql =>
  raw(
    `json_build_object(${audited.map((column) => `'${column}', "${row}"."${column}"`).join(', ')})`,
  );

/**
 * Removing: NOT_FOUND, or VALIDATION_FAILED while others refer to the record.
 * @param referring which others may, and what is told then
 */
export function deleting(
  resource: Resource<Fields, Subject>,
  referring?: readonly [field: string, message: string],
): Remove {
  const { table, one } = resource;
  const isReferredTo = isBroken('foreign_key');
  const before = lastState(resource);
  return async (ctx, account, id) => {
    const accountId = authorize(ctx.viewer, account, `${one}.delete`);
    const statement = sql`WITH gone AS (
        DELETE FROM ${name(table)} WHERE account_id = ${accountId} AND id = ${readId(id)} RETURNING *
      ), audit AS (${auditEntry(ctx, `${one}.delete`, 'gone', { before, after: null })})
      SELECT id FROM gone`;
    const [gone] = await ctx.db
      .query<{ id: number }>(statement, { named: true })
      .catch((error: unknown) => {
        const faults = new Faults();
        if (referring && isReferredTo(error)) faults.add(...referring);
        faults.throwIfAny();
        throw error;
      });
    if (!gone) throw notFound();
    return { id: gone.id };
  };
}
