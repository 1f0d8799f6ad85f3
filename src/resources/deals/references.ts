import type { UnitOfWork } from '../../context/context.ts';
import { empty, noId, raw, sql } from '../../db/sql/sql.ts';
import type { Faults } from '../../errors/errors.ts';
import type { StagePlace } from './current.ts';
import type { DealFields } from './record.ts';
import { checkReferences } from './rules.ts';

/**
 * Looks for what a deal refers to, and reports what is wrong with that.
 * @param contactId null for a contact whose own faults are reported instead
 */
export async function reportReferences(
  ctx: UnitOfWork,
  fields: DealFields,
  contactId: number | null | undefined,
  faults: Faults,
): Promise<void> {
  const { accountId } = ctx.viewer;
  const [row] = await ctx.db.query<{ pipeline_id: number | null; contact_id: number | null }>(
    sql`SELECT
      (SELECT pipeline_id FROM stages WHERE account_id = ${accountId} AND id = ${fields.stage_id ?? noId}) AS pipeline_id,
      (SELECT id FROM contacts WHERE account_id = ${accountId} AND id = ${contactId ?? noId}) AS contact_id`,
  );
  const hasContact = contactId === null || (row?.contact_id ?? null) !== null;
  checkReferences(fields, { pipelineId: row?.pipeline_id ?? null, hasContact }, faults);
}

/** What deals refer to, as far as it is there. */
export interface References {
  readonly stages: ReadonlyMap<number, StagePlace>;
  readonly contacts: ReadonlySet<number>;
}

/**
 * Looks up what several deals refer to.
 * @param locking whether to lock the stages, as whatever puts deals into them does
 */
export async function lookUpReferences(
  { db, viewer: { accountId } }: UnitOfWork,
  records: readonly DealFields[],
  locking: boolean,
): Promise<References> {
  const idsOf = (field: 'stage_id' | 'contact_id') => [
    ...new Set(records.flatMap(({ [field]: id }) => id ?? [])),
  ];
  const stages = await db.query<StagePlace>(
    sql`SELECT s.id AS stage_id, s.name AS stage_name, p.id AS pipeline_id, p.name AS pipeline_name
      FROM stages AS s JOIN pipelines AS p ON p.account_id = ${accountId} AND p.id = s.pipeline_id
      WHERE s.account_id = ${accountId} AND s.id = ANY(${idsOf('stage_id')}::bigint[])
      ORDER BY s.id ${locking ? raw('FOR NO KEY UPDATE OF s') : empty}`,
  );
  const contacts = await db.query<{ id: number }>(
    sql`SELECT id FROM contacts WHERE account_id = ${accountId} AND id = ANY(${idsOf('contact_id')}::bigint[])`,
  );
  return {
    stages: new Map(stages.map((stage) => [stage.stage_id, stage])),
    contacts: new Set(contacts.map(({ id }) => id)),
  };
}
