/** Pipelines and their stages, which are few. */
import type { Context } from '../../../context/context.ts';
import { asId } from '../../../lib/integer.ts';
import { idAlone } from '../../../resources/kernel/read/record.ts';
import { valuesOf } from '../../../resources/kernel/read/record_result.ts';
import { insertPipeline } from '../../../resources/pipelines/insert.ts';
import { type KeptPipeline, keepPipelines } from '../../../resources/pipelines/upsert.ts';
import { createStage } from '../../../resources/stages/verbs.ts';
import { call } from '../../../rest/call.ts';
import { CommandError } from '../../command_error.ts';
import { type Foreign, foreigner, foreigners, type Source } from './source.ts';

/** Stages here by their ids there. */
export type Stages = ReadonlyMap<number, number>;

/**
 * The pipelines of the source, from its deals where it does not list them: those without a deal
 * nobody knows then.
 * @param samples a deal of each stage
 */
export async function pipelinesOf(
  source: Source,
  samples: ReadonlyMap<number, number>,
): Promise<readonly KeptPipeline[]> {
  const listed = await source.pipelines();
  if (listed) return listed.map(pipelineOf).toSorted(byId);
  const pipelinesById = new Map<number, { pipeline: Foreign; stages: Foreign[] }>();
  for (const id of samples.values()) {
    const deal = await source.one('deals', id);
    const stage = foreigner(deal?.stage);
    const pipeline = foreigner(deal?.pipeline);
    if (!stage || !pipeline) continue;
    const own = pipelinesById.get(pipeline.id) ?? { pipeline, stages: [] };
    own.stages.push(stage);
    pipelinesById.set(pipeline.id, own);
  }
  const described = [...pipelinesById.values()].map(({ pipeline, stages }) => ({
    ...pipeline,
    stages,
  }));
  return described.map(pipelineOf).toSorted(byId);
}

const pipelineOf = (record: Foreign): KeptPipeline => ({
  id: record.id,
  name: nameOf(record, 'Pipeline'),
  stages: foreigners(record.stages)
    .toSorted((a, b) => (asId(a.position) ?? 0) - (asId(b.position) ?? 0) || a.id - b.id)
    .map((stage) => ({ id: stage.id, name: nameOf(stage, 'Stage') })),
});

/** Nothing here is without a name. */
const nameOf = ({ id, name }: Foreign, kind: string): string =>
  typeof name === 'string' && name.trim() !== '' ? name : `${kind} ${id}`;

const byId = (a: { readonly id: number }, b: { readonly id: number }) => a.id - b.id;

/**
 * Gives pipelines and stages the ids here that they have there, unless they are here with them already.
 * @throws {CommandError} when the account has others
 */
export async function keepIds(ctx: Context, pipelines: readonly KeptPipeline[]): Promise<void> {
  if (await mayKeep(ctx, pipelines)) await keepPipelines(ctx, pipelines);
}

/**
 * Whether they are still to come.
 * @throws {CommandError} as {@link keepIds}
 */
export async function mayKeep(ctx: Context, pipelines: readonly KeptPipeline[]): Promise<boolean> {
  const here = await pipelinesHere(ctx);
  const known = new Set(stagesIn(here));
  if (here.length > 0 && !stagesIn(pipelines).every((id) => known.has(id))) {
    throw new CommandError(
      'The account has pipelines of its own: ids are kept in one that has none',
    );
  }
  return here.length === 0;
}

/** Stages that have the same ids here. */
export const keptStages = (pipelines: readonly KeptPipeline[]): Stages =>
  new Map(stagesIn(pipelines).map((id) => [id, id]));

const stagesIn = (pipelines: readonly KeptPipeline[]): readonly number[] =>
  pipelines.flatMap(({ stages }) => stages.map(({ id }) => id));

async function pipelinesHere(ctx: Context): Promise<readonly KeptPipeline[]> {
  const { data }: { data: readonly KeptPipeline[] } = JSON.parse(
    await call(ctx, 'all_pipelines', {}),
  );
  return data;
}

/** Finds pipelines and stages here by their names, and makes those that are not there. */
export async function placePipelines(
  ctx: Context,
  pipelines: readonly KeptPipeline[],
): Promise<Stages> {
  const stages = new Map<number, number>();
  const takePipeline = taking(await pipelinesHere(ctx));
  for (const { name, stages: own } of pipelines) {
    const names = own.map((stage) => stage.name);
    const pipeline = takePipeline(name) ?? (await insertPipeline(ctx, name, names));
    const takeStage = taking(pipeline.stages);
    for (const stage of own) {
      const stageHere = takeStage(stage.name);
      stages.set(stage.id, stageHere?.id ?? (await addStage(ctx, pipeline.id, stage.name)));
    }
  }
  return stages;
}

async function addStage(ctx: Context, pipelineId: number, name: string): Promise<number> {
  const fields = { name, pipeline_id: pipelineId };
  const stage = await createStage(ctx, ctx.viewer.accountId, fields, idAlone);
  return Number(valuesOf(stage).id);
}

/** @returns what gives the first of a name that was not given yet, so that two alike stay two */
function taking<T extends { readonly name: string }>(
  all: readonly T[],
): (name: string) => T | undefined {
  const rest = [...all];
  return (name) => {
    const at = rest.findIndex((one) => one.name === name);
    return at < 0 ? undefined : rest.splice(at, 1)[0];
  };
}
