import { authorize, readId } from '../../auth/policy.ts';
import type { Context } from '../../context.ts';
import { conflict, retrying } from '../../db/errors.ts';
import type { Selection } from '../../db/shape.ts';
import { sql } from '../../db/sql.ts';
import { Faults, notFound } from '../../errors.ts';
import { auditEntry, changesBetween } from '../audit/entry.ts';
import { type Input, readFields } from '../fields.ts';
import { getRecord, type Stored, writeRecord } from '../record.ts';
import { pipelineFields } from './fields.ts';

/**
 * Renames a pipeline.
 * @throws {Fault} FORBIDDEN for all but admins; NOT_FOUND; VALIDATION_FAILED for a blank or too
 *   long name
 */
export async function updatePipeline(
  ctx: Context,
  account: unknown,
  id: unknown,
  input: Input,
  selection: Selection,
): Promise<Stored> {
  const accountId = authorize(ctx.viewer, account, 'pipeline.update');
  const pipelineId = readId(id);
  const faults = new Faults();
  const sent = readFields(input, pipelineFields, faults);
  return retrying(async () => {
    const [before] = await ctx.db.query<{ name: string; version: string }>(
      sql`SELECT name, xmin::text AS version FROM pipelines
          WHERE account_id = ${accountId} AND id = ${pipelineId}`,
      { named: true },
    );
    if (!before) throw notFound();
    faults.throwIfAny();
    const after = { name: sent.name ?? before.name };
    const changes = changesBetween(before, after);
    if (!changes) return getRecord(ctx, 'pipelines', pipelineId, selection);
    const written = await writeRecord(
      ctx,
      'pipelines',
      selection,
      sql`written AS (
        UPDATE pipelines SET name = ${after.name}, updated_at = ${ctx.now.toISOString()}::timestamptz
        WHERE account_id = ${accountId} AND id = ${pipelineId} AND xmin = ${before.version}::xid
        RETURNING *
      ), audit AS (${auditEntry(ctx, 'pipeline.update', 'written', changes)})`,
    );
    if (!written) throw conflict();
    return written;
  });
}
