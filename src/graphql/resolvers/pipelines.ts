import type { Resolvers } from '../../generated/graphql.ts';
import { getting, searching } from '../../resources/kernel/read.ts';
import { deletePipeline } from '../../resources/pipelines/delete.ts';
import { listPipelines } from '../../resources/pipelines/list.ts';
import { createPipeline, updatePipeline } from '../../resources/pipelines/verbs.ts';
import { createStage } from '../../resources/stages/create.ts';
import { deleteStage } from '../../resources/stages/delete.ts';
import { updateStage } from '../../resources/stages/update.ts';
import { selectionOf } from '../selection.ts';

const getPipeline = getting('pipelines', 'pipeline.read');
const searchPipelines = searching('pipelines', 'pipeline.read');
const getStage = getting('stages', 'stage.read');
const searchStages = searching('stages', 'stage.read');

export const pipelines = {
  Query: {
    pipeline: (_, { account_id, id }, ctx, info) =>
      getPipeline(ctx, account_id, id, selectionOf(info)),
    pipelines: (_, { account_id, ...page }, ctx, info) =>
      searchPipelines(ctx, account_id, page, selectionOf(info, ['data'])),
    all_pipelines: (_, { account_id }, ctx, info) =>
      listPipelines(ctx, account_id, selectionOf(info, ['data'], 'whole')),
    stage: (_, { account_id, id }, ctx, info) => getStage(ctx, account_id, id, selectionOf(info)),
    stages: (_, { account_id, ...page }, ctx, info) =>
      searchStages(ctx, account_id, page, selectionOf(info, ['data'])),
  },
  Mutation: {
    create_pipeline: (_, { account_id, input }, ctx, info) =>
      createPipeline(ctx, account_id, input, selectionOf(info)),
    update_pipeline: (_, { account_id, id, input }, ctx, info) =>
      updatePipeline(ctx, account_id, id, input, selectionOf(info)),
    delete_pipeline: (_, { account_id, id }, ctx) => deletePipeline(ctx, account_id, id),
    create_stage: (_, { account_id, input }, ctx, info) =>
      createStage(ctx, account_id, input, selectionOf(info)),
    update_stage: (_, { account_id, id, input }, ctx, info) =>
      updateStage(ctx, account_id, id, input, selectionOf(info)),
    delete_stage: (_, { account_id, id }, ctx) => deleteStage(ctx, account_id, id),
  },
} satisfies Resolvers;
