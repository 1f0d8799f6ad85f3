import type { UnitOfWork } from '../../context/context.ts';
import { raw, sql } from '../../db/sql/sql.ts';
import { Faults } from '../../errors/errors.ts';
import { auditEntries, creationOf } from '../audit/entry.ts';
import { nameField } from '../kernel/fields/fields.ts';
import { readFields } from '../kernel/fields/input.ts';
import { stages } from '../stages/record.ts';
import { pipelines } from './record.ts';

/** A pipeline of another system, with its stages in their order. */
export interface KeptPipeline {
  readonly id: number;
  readonly name: string;
  readonly stages: readonly { readonly id: number; readonly name: string }[];
}

/**
 * Creates pipelines and stages under the ids that they have elsewhere, so that what names them there goes on
 * here; ids that are given later lie behind them. Without authorisation, in a transaction: for operators.
 * @throws {Fault} VALIDATION_FAILED for a blank or too long name
 * @throws {DatabaseError} unique, when the account has one of them
 */
export async function keepPipelines(
  ctx: UnitOfWork,
  templates: readonly KeptPipeline[],
): Promise<void> {
  const faults = new Faults();
  for (const { id, name, stages: own } of templates) {
    readFields({ name }, { name: nameField }, faults, `pipelines.${id}.`);
    for (const stage of own) {
      readFields({ name: stage.name }, { name: nameField }, faults, `stages.${stage.id}.`);
    }
  }
  faults.throwIfAny();
  const placed = templates.flatMap(({ id: pipeline_id, stages: own }) =>
    own.map((stage, at) => ({ ...stage, pipeline_id, position: at + 1 })),
  );
  const { accountId } = ctx.viewer;
  await ctx.db.query(
    sql`WITH written AS (
        INSERT INTO pipelines (account_id, id, name, created_at, updated_at)
        SELECT ${accountId}::bigint, id, name, clock, clock
        FROM (SELECT *, moment() AS clock FROM json_to_recordset(${JSON.stringify(templates)}::json) AS r (id bigint, name text) OFFSET 0) AS sent
        RETURNING *
      ), audit AS (${auditEntries(ctx, creationOf(pipelines, 'written'))}) SELECT FROM written`,
  );
  await ctx.db.query(
    sql`WITH written AS (
        INSERT INTO stages (account_id, id, pipeline_id, name, position, created_at, updated_at)
        SELECT ${accountId}::bigint, id, pipeline_id, name, position, clock, clock
        FROM (SELECT *, moment() AS clock FROM json_to_recordset(${JSON.stringify(placed)}::json)
          AS r (id bigint, pipeline_id bigint, name text, position integer) OFFSET 0) AS sent
        RETURNING *
      ), audit AS (${auditEntries(ctx, creationOf(stages, 'written'))}) SELECT FROM written`,
  );
  await goBeyond(ctx, 'pipelines', templates);
  await goBeyond(ctx, 'stages', placed);
}

async function goBeyond(
  { db }: UnitOfWork,
  table: 'pipelines' | 'stages',
  rows: readonly { readonly id: number }[],
): Promise<void> {
  const last = rows.reduce((max, { id }) => Math.max(max, id), 1);
  const ids = raw(`'${table}_id_seq'`);
  await db.query(sql`SELECT setval(${ids}, greatest(nextval(${ids}), ${last}::bigint))`);
}
