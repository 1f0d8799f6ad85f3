/** Writing without special rules: an authorisation check, then one statement with its audit entry. */

import { authorize, readId, type Subject } from '../../../auth/policy.ts';
import { type Context, faultsOf } from '../../../context/context.ts';
import { isBroken, type Kind } from '../../../db/errors.ts';
import type { Selection } from '../../../db/sql/shape.ts';
import { sql } from '../../../db/sql/sql.ts';
import { retryConflicts } from '../../../db/transactions/retry.ts';
import type { Problem } from '../../../errors/codes.ts';
import { invalid } from '../../../errors/errors.ts';
import { auditEntries } from '../../audit/entry.ts';
import { type Fields, type Input, readFields, readNew } from '../fields/input.ts';
import { refuseRemoval, requireRecord } from '../read/record.ts';
import type { RecordResult } from '../read/record_result.ts';
import { type Resource, withDefaults } from '../resource.ts';
import { inserting } from './insert.ts';
import { removal } from './removal.ts';
import { updateRecord } from './update_in_place.ts';
import { expectedOne } from './version.ts';

/** A use case that creates a record. */
export type Create = (
  ctx: Context,
  account: unknown,
  input: Input,
  selection: Selection,
) => Promise<RecordResult>;

/** A use case that changes the record with an id. */
export type Update = (
  ctx: Context,
  account: unknown,
  id: unknown,
  input: Input,
  selection: Selection,
) => Promise<RecordResult>;

/** A use case that removes it. */
export type Remove = (ctx: Context, account: unknown, id: unknown) => Promise<{ id: number }>;

/** Rethrows an error; a broken constraint of one kind becomes a fault of a field. */
export const refusing =
  (kind: Kind, field: string, problem: Problem) =>
  (error: unknown): never => {
    throw isBroken(kind)(error) ? invalid(field, problem) : error;
  };

/** Creating: VALIDATION_FAILED for a required field that is missing, or one that cannot be read. */
export function creating<F extends Fields>(resource: Resource<F, Subject>): Create {
  const insert = inserting(resource);
  const action = `${resource.one}.create` as const;
  return async (ctx, account, input, selection) => {
    authorize(ctx.viewer, account, action);
    const faults = faultsOf(ctx);
    const fields = readNew(input, resource.fields, faults);
    faults.throwIfAny();
    return retryConflicts(() =>
      insert(ctx, withDefaults(resource, fields), selection, { isAll: true }),
    );
  };
}

/** Changing the fields sent: NOT_FOUND, or VALIDATION_FAILED for a field that cannot be read. */
export function updating<F extends Fields>(resource: Resource<F, Subject>): Update {
  const { table, one } = resource;
  const action = `${one}.update` as const;
  return async (ctx, account, id, input, selection) => {
    authorize(ctx.viewer, account, action);
    const recordId = readId(id);
    const faults = faultsOf(ctx);
    const fields = readFields(input, resource.fields, faults);
    if (faults.any) await requireRecord(ctx, table, recordId);
    faults.throwIfAny();
    return retryConflicts(() => updateRecord(ctx, resource, recordId, fields, selection));
  };
}

/**
 * Removing what nothing else goes along with: NOT_FOUND, or VALIDATION_FAILED while other records
 * refer to this one.
 * @param referring the field and what is wrong with it then
 */
export function deleting(
  resource: Resource<Fields, Subject>,
  referring?: readonly [field: string, problem: Problem],
): Remove {
  const { table, one } = resource;
  const action = `${one}.delete` as const;
  return async (ctx, account, id) => {
    authorize(ctx.viewer, account, action);
    const recordId = readId(id);
    const { steps, entries } = removal(ctx, table, expectedOne(ctx, resource, recordId));
    const statement = sql`WITH ${steps}, audit AS (${auditEntries(ctx, ...entries)}) SELECT id FROM gone`;
    const removing = retryConflicts(async () => {
      const [row] = await ctx.db.query<{ id: number }>(statement);
      return row ? { id: row.id } : refuseRemoval(ctx, table, recordId);
    });
    return referring ? removing.catch(refusing('foreign_key', ...referring)) : removing;
  };
}
