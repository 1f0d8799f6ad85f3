import { describe, expect, test } from '@jest/globals';
import { sharedService } from '../kit/service.ts';
import { type World, world } from '../kit/world.ts';

const service = await sharedService();

interface Deal {
  readonly id: number;
}

/** Deals of every status, over two pipelines, with amounts and owners. */
interface Dashboard {
  readonly w: World;
  readonly deals: Readonly<Record<'open' | 'won' | 'dear' | 'lost' | 'lead', Deal>>;
  readonly products: readonly [number, number];
}

async function dashboard(): Promise<Dashboard> {
  const w = await world(service);
  const [first, second] = w.stageIds;
  const chair = await w.product({ name: 'Chair', amount_in_cents: 100 });
  const desk = await w.product({ name: 'Desk', amount_in_cents: 1000 });
  const deals = {
    open: await w.deal({ name: 'open', stage_id: first }),
    won: await w.deal({
      name: 'won',
      stage_id: second,
      status: 'won',
      won_at: '2026-02-28T23:59:59Z',
    }),
    dear: await w.deal({
      name: 'dear',
      stage_id: second,
      status: 'won',
      won_at: '2026-03-01T00:00:00Z',
    }),
    lost: await w.deal({
      name: 'lost',
      stage_id: second,
      status: 'lost',
      lost_at: '2026-03-05T12:00:00Z',
    }),
    lead: await w.deal({ name: 'lead', stage_id: w.other.stageId }),
  };
  await w.dealProduct({ deal_id: deals.open.id, product_id: chair.id, quantity: 2 });
  await w.dealProduct({ deal_id: deals.won.id, product_id: chair.id });
  await w.dealProduct({ deal_id: deals.won.id, product_id: chair.id, quantity: 3 });
  await w.dealProduct({ deal_id: deals.dear.id, product_id: desk.id });
  await w.dealProduct({ deal_id: deals.dear.id, product_id: chair.id });
  await w.rest.post('/deal_assignees', { deal_id: deals.won.id, user_id: w.member.id });
  const lead = await w.fetchDeal(deals.lead.id);
  await w.rest.delete(`/deal_assignees/${lead.deal_assignees[0]?.id}`);
  return { w, deals, products: [chair.id, desk.id] };
}

async function summary(
  w: World,
  args: string,
  fields: string,
  query: unknown = null,
): Promise<unknown> {
  const text = `query ($account_id: Integer!, $query: SearchQuery) {
    deals_summary(account_id: $account_id, query: $query${args}) { ${fields} }
  }`;
  const data = await w.graphql.data<{ deals_summary: unknown }>(text, {
    account_id: w.accountId,
    query,
  });
  return data.deals_summary;
}

const figures = 'count sum_in_cents average_in_cents won_rate';

describe('deals_summary', () => {
  test('of all deals: one group', async () => {
    const { w } = await dashboard();
    expect(await summary(w, '', `${figures} status pipeline_id owner_id month`)).toEqual([
      {
        count: 5,
        sum_in_cents: 1700,
        average_in_cents: 340,
        won_rate: 2 / 3,
        status: null,
        pipeline_id: null,
        owner_id: null,
        month: null,
      },
    ]);
  });

  test('of no deal: one group of nothing, and none when grouped', async () => {
    const { w } = await dashboard();
    const none = { name_eq: 'no such deal' };
    expect(await summary(w, '', figures, none)).toEqual([
      { count: 0, sum_in_cents: 0, average_in_cents: null, won_rate: null },
    ]);
    expect(await summary(w, ', group_by: [STAGE]', figures, none)).toEqual([]);
  });

  test('by status, pipeline and stage, in their order', async () => {
    const { w } = await dashboard();
    expect(await summary(w, ', group_by: STATUS', `status ${figures}`)).toEqual([
      { status: 'open', count: 2, sum_in_cents: 200, average_in_cents: 100, won_rate: null },
      { status: 'won', count: 2, sum_in_cents: 1500, average_in_cents: 750, won_rate: 1 },
      { status: 'lost', count: 1, sum_in_cents: 0, average_in_cents: 0, won_rate: 0 },
    ]);
    expect(
      await summary(
        w,
        ', group_by: [PIPELINE, STAGE]',
        'pipeline_id pipeline_name stage_id stage_name count won_rate',
      ),
    ).toEqual([
      {
        pipeline_id: w.pipelineId,
        pipeline_name: 'Sales',
        stage_id: w.stageIds[0],
        stage_name: 'New',
        count: 1,
        won_rate: null,
      },
      {
        pipeline_id: w.pipelineId,
        pipeline_name: 'Sales',
        stage_id: w.stageIds[1],
        stage_name: 'Talks',
        count: 3,
        won_rate: 2 / 3,
      },
      {
        pipeline_id: w.other.pipelineId,
        pipeline_name: 'Partners',
        stage_id: w.other.stageId,
        stage_name: 'Lead',
        count: 1,
        won_rate: null,
      },
    ]);
  });

  test('by owner: a deal counts for each assigned, and those of nobody last', async () => {
    const { w } = await dashboard();
    expect(
      await summary(w, ', group_by: [OWNER]', 'owner_id owner_name count sum_in_cents'),
    ).toEqual([
      { owner_id: w.admin.id, owner_name: 'Ada Admin', count: 4, sum_in_cents: 1700 },
      { owner_id: w.member.id, owner_name: 'Max Member', count: 1, sum_in_cents: 400 },
      { owner_id: null, owner_name: null, count: 1, sum_in_cents: 0 },
    ]);
  });

  test('by product: the amount of that product alone, however often attached', async () => {
    const { w, products } = await dashboard();
    expect(
      await summary(w, ', group_by: [PRODUCT]', 'product_id product_name count sum_in_cents'),
    ).toEqual([
      { product_id: products[0], product_name: 'Chair', count: 3, sum_in_cents: 700 },
      { product_id: products[1], product_name: 'Desk', count: 1, sum_in_cents: 1000 },
      { product_id: null, product_name: null, count: 2, sum_in_cents: 0 },
    ]);
  });

  test('by period, in UTC, of the moment asked for', async () => {
    const { w } = await dashboard();
    const on = (by: string, moment: string) =>
      summary(w, `, group_by: [${by}], on: ${moment}`, `${by.toLowerCase()} count`);
    expect(await on('MONTH', 'won_at')).toEqual([
      { month: '2026-02', count: 1 },
      { month: '2026-03', count: 1 },
    ]);
    expect(await on('WEEK', 'won_at')).toEqual([{ week: '2026-W09', count: 2 }]);
    expect(await on('DAY', 'lost_at')).toEqual([{ day: '2026-03-05', count: 1 }]);
    expect(await on('MONTH', 'created_at')).toEqual([
      { month: new Date().toISOString().slice(0, 7), count: 5 },
    ]);
  });

  test('of the deals that a search finds', async () => {
    const { w } = await dashboard();
    const query = {
      status_in: ['won', 'lost'],
      stage_name_eq: 'Talks',
      total_deal_products_amount_in_cents_gt: 0,
    };
    expect(await summary(w, '', 'count sum_in_cents', query)).toEqual([
      { count: 2, sum_in_cents: 1500 },
    ]);
  });

  test('refuses what it cannot read, by key', async () => {
    const { w } = await dashboard();
    const text = `query ($account_id: Integer!, $query: SearchQuery) {
      deals_summary(account_id: $account_id, query: $query) { count }
    }`;
    const query = { nonsense_eq: 1, id_eq: 'x' };
    const { body } = await w.graphql.send(text, { account_id: w.accountId, query });
    expect(body.errors?.[0]?.extensions.code).toBe('INVALID_SEARCH');
    expect(Object.keys(body.errors?.[0]?.extensions.fields ?? {})).toEqual([
      'nonsense_eq',
      'id_eq',
    ]);
    const sorted = await w.graphql.send(text, {
      account_id: w.accountId,
      query: { s: 'name asc' },
    });
    expect(sorted.body.errors?.[0]?.extensions.fields).toEqual({
      s: ['cannot be used here: the order is fixed'],
    });
  });

  test('one statement, of one account', async () => {
    const { w } = await dashboard();
    await dashboard();
    service.statements.length = 0;
    const groups = await summary(w, ', group_by: [STATUS, OWNER, PRODUCT, STAGE, DAY]', 'count');
    expect(service.statements).toHaveLength(1);
    expect(groups).toHaveLength(6);
    const stranger = await world(service);
    const { body } = await stranger.graphql.send(
      `{ deals_summary(account_id: ${w.accountId}) { count } }`,
    );
    expect(body.errors?.[0]?.extensions.code).toBe('NOT_FOUND');
  });

  test('a sum that JSON would not carry exactly is refused', async () => {
    const w = await world(service);
    const largest = { unit_amount_in_cents: Number.MAX_SAFE_INTEGER };
    await w.dealProduct(largest);
    expect(await summary(w, '', 'sum_in_cents')).toEqual([
      { sum_in_cents: Number.MAX_SAFE_INTEGER },
    ]);
    await w.dealProduct({ unit_amount_in_cents: 1 });
    const { body } = await w.graphql.send(
      `{ deals_summary(account_id: ${w.accountId}) { count } }`,
    );
    expect(body.errors?.[0]?.extensions).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: ['A sum is larger than 9007199254740991'],
    });
  });
});

describe('pipeline_board', () => {
  const board = `query ($account_id: Integer!, $id: Integer!, $query: SearchQuery, $per_stage: Integer) {
    pipeline_board(account_id: $account_id, pipeline_id: $id, query: $query, per_stage: $per_stage) {
      pipeline { name }
      stages {
        stage { name position }
        count
        sum_in_cents
        deals { name position contact { id } deal_products { product { name } } deal_assignees { user { full_name } } }
      }
    }
  }`;

  test('stages in order, each with its figures and its first deals in order', async () => {
    const { w, deals } = await dashboard();
    await w.updateDeal(deals.lost.id, { position: 1 });
    service.statements.length = 0;
    const variables = { account_id: w.accountId, id: w.pipelineId, per_stage: 2 };
    const data = await w.graphql.data<{ pipeline_board: object }>(board, variables);
    expect(service.statements).toHaveLength(1);
    expect(data.pipeline_board).toMatchObject({
      pipeline: { name: 'Sales' },
      stages: [
        {
          stage: { name: 'New', position: 1 },
          count: 1,
          sum_in_cents: 200,
          deals: [{ name: 'open', position: 1 }],
        },
        {
          stage: { name: 'Talks', position: 2 },
          count: 3,
          sum_in_cents: 1500,
          deals: [
            { name: 'lost', position: 1, deal_products: [] },
            {
              name: 'won',
              position: 2,
              deal_products: [{ product: { name: 'Chair' } }, { product: { name: 'Chair' } }],
              deal_assignees: [
                { user: { full_name: 'Ada Admin' } },
                { user: { full_name: 'Max Member' } },
              ],
            },
          ],
        },
        { stage: { name: 'Offer', position: 3 }, count: 0, sum_in_cents: 0, deals: [] },
      ],
    });
  });

  test('of the deals that a search finds', async () => {
    const { w } = await dashboard();
    const variables = {
      account_id: w.accountId,
      id: w.pipelineId,
      query: { products_name_eq: 'Desk' },
    };
    const { pipeline_board } = await w.graphql.data<{ pipeline_board: { stages: object[] } }>(
      board,
      variables,
    );
    expect(pipeline_board.stages).toMatchObject([
      { count: 0, deals: [] },
      { count: 1, sum_in_cents: 1100, deals: [{ name: 'dear', position: 2 }] },
      { count: 0, deals: [] },
    ]);
  });

  test('under other names, with fragments, and without deals', async () => {
    const { w } = await dashboard();
    const text = `query ($a: Integer!, $p: Integer!) {
      b: pipeline_board(account_id: $a, pipeline_id: $p) { columns: stages { ...column } }
      figures: pipeline_board(account_id: $a, pipeline_id: $p) { stages { count } }
    }
    fragment column on BoardStage { at: stage { title: name } cards: deals { title: name } }`;
    const data = await w.graphql.data<{ b: { columns: object[] }; figures: { stages: object[] } }>(
      text,
      {
        a: w.accountId,
        p: w.pipelineId,
      },
    );
    expect(data.b.columns[0]).toEqual({ at: { title: 'New' }, cards: [{ title: 'open' }] });
    expect(data.figures.stages).toEqual([{ count: 1 }, { count: 3 }, { count: 0 }]);
  });

  test('with nothing of its deals but their type', async () => {
    const { w } = await dashboard();
    const { pipeline_board } = await w.graphql.data<{ pipeline_board: object }>(
      `{ pipeline_board(account_id: ${w.accountId}, pipeline_id: ${w.other.pipelineId}) {
        stages { deals { __typename } } } }`,
    );
    expect(pipeline_board).toEqual({ stages: [{ deals: [{ __typename: 'Deal' }] }] });
  });

  test('nothing is read for deals that a directive leaves out', async () => {
    const { w } = await dashboard();
    service.statements.length = 0;
    const { pipeline_board } = await w.graphql.data<{ pipeline_board: object }>(
      `{ pipeline_board(account_id: ${w.accountId}, pipeline_id: ${w.other.pipelineId}) {
        stages { count deals @include(if: false) { name } } } }`,
    );
    expect(pipeline_board).toEqual({ stages: [{ count: 1 }] });
    expect(service.statements).toEqual([expect.not.stringContaining('LIMIT')]);
  });

  test('a sum that JSON would not carry exactly is refused', async () => {
    const w = await world(service);
    const read = () =>
      w.graphql.send(
        `{ pipeline_board(account_id: ${w.accountId}, pipeline_id: ${w.pipelineId}) { stages { sum_in_cents } } }`,
      );
    await w.dealProduct({ unit_amount_in_cents: Number.MAX_SAFE_INTEGER });
    const stages = [Number.MAX_SAFE_INTEGER, 0, 0].map((sum_in_cents) => ({ sum_in_cents }));
    expect((await read()).body).toEqual({ data: { pipeline_board: { stages } } });
    await w.dealProduct({ unit_amount_in_cents: 1 });
    expect((await read()).body.errors?.[0]?.extensions).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: [`A sum is larger than ${Number.MAX_SAFE_INTEGER}`],
    });
  });

  test('404 for a pipeline of another account, before what is wrong with the search', async () => {
    const { w } = await dashboard();
    const stranger = await world(service);
    const variables = { account_id: w.accountId, id: stranger.pipelineId, query: { x_eq: 1 } };
    const { body } = await w.graphql.send(board, variables);
    expect(body.errors?.[0]?.extensions.code).toBe('NOT_FOUND');
  });

  test.each([0, 101, -1, 'x', 1.5])('refuses per_stage %j', async (per_stage) => {
    const { w } = await dashboard();
    const variables = { account_id: w.accountId, id: w.pipelineId, per_stage, query: { x_eq: 1 } };
    const text = `query ($account_id: Integer!, $id: Integer!, $query: SearchQuery, $per_stage: Integer) {
      pipeline_board(account_id: $account_id, pipeline_id: $id, query: $query, per_stage: $per_stage) {
        stages { deals { id } }
      }
    }`;
    const { body } = await w.graphql.send(text, variables);
    expect(body.errors?.[0]?.extensions.code).toBe('INVALID_SEARCH');
    expect(Object.keys(body.errors?.[0]?.extensions.fields ?? {})).toEqual(['x_eq', 'per_stage']);
  });
});
