import type { Resolvers } from '../../generated/graphql.ts';
import { pipelineBoard } from '../../resources/dashboards/board.ts';
import { summariseDeals } from '../../resources/dashboards/summary.ts';
import { contactTimeline } from '../../resources/dashboards/timeline.ts';
import { selectionOf } from '../selection.ts';

export const dashboards = {
  Query: {
    deals_summary: (_, { account_id, ...summary }, ctx) => summariseDeals(ctx, account_id, summary),
    pipeline_board: (_, { account_id, pipeline_id, ...board }, ctx, info) =>
      pipelineBoard(ctx, account_id, pipeline_id, board, {
        pipeline: selectionOf(info, ['pipeline']),
        stage: selectionOf(info, ['stages', 'stage']),
        deals: selectionOf(info, ['stages', 'deals']),
      }),
    contact_timeline: (_, { account_id, contact_id, ...page }, ctx, info) =>
      contactTimeline(ctx, account_id, contact_id, page, selectionOf(info, ['data'])),
  },
} satisfies Resolvers;
