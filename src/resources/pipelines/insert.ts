import type { UnitOfWork } from '../../context/context.ts';
import { sql } from '../../db/sql/sql.ts';
import { Faults } from '../../errors/errors.ts';
import { auditEntries, creationOf } from '../audit/entry.ts';
import { nameField } from '../kernel/fields/fields.ts';
import { readFields } from '../kernel/fields/input.ts';
import { stages as stage } from '../stages/record.ts';
import { pipelines } from './record.ts';

interface NewPipeline {
  readonly id: number;
  readonly name: string;
  readonly stages: readonly {
    readonly id: number;
    readonly name: string;
    readonly position: number;
  }[];
}

/**
 * Creates a pipeline with its stages, in order. Without authorisation: for operators.
 * @throws {Fault} VALIDATION_FAILED for a blank or too long name
 */
export async function insertPipeline(
  ctx: UnitOfWork,
  name: string,
  stageNames: readonly string[],
): Promise<NewPipeline> {
  const faults = new Faults();
  const pipeline = readFields({ name }, { name: nameField }, faults);
  const stages = stageNames.map(
    (stage, at) =>
      readFields({ name: stage }, { name: nameField }, faults, `stages.${at + 1}.`).name,
  );
  faults.throwIfAny();
  const { accountId } = ctx.viewer;
  const [row] = await ctx.db.query<{ id: number; name: string; stages: string }>(
    sql`WITH written AS (
        INSERT INTO pipelines (account_id, name, created_at, updated_at)
        SELECT ${accountId}, ${pipeline.name}, clock, clock FROM (SELECT moment() AS clock OFFSET 0) AS source
        RETURNING *
      ), staged AS (
        INSERT INTO stages (account_id, pipeline_id, name, position, created_at, updated_at)
        SELECT ${accountId}, written.id, stage.name, stage.position, updated_at, updated_at
        FROM written, unnest(${stages}::text[]) WITH ORDINALITY AS stage (name, position)
        ORDER BY stage.position
        RETURNING *
      ), audit AS (${auditEntries(ctx, ...entries)})
      SELECT written.id, written.name, coalesce(
        (SELECT json_agg(json_build_object('id', id, 'name', name, 'position', position) ORDER BY position) FROM staged),
        '[]'::json) AS stages
      FROM written`,
  );
  if (!row) throw new Error('the inserted pipeline was not returned');
  return { ...row, stages: JSON.parse(row.stages) };
}

const entries = [creationOf(pipelines, 'written'), creationOf(stage, 'staged')];
