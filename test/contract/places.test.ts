/** Positions against a plain list, whatever comes, goes and moves; and what a move writes. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Answer } from '../kit/http.ts';
import { seeded } from '../kit/seeded.ts';
import { type Service, startService } from '../kit/service.ts';
import { type World, world } from '../kit/world.ts';
import { rowsReadBy } from '../search/plans.ts';

let service: Service;
let w: World;
beforeAll(async () => {
  service = await startService();
  w = await world(service);
});
afterAll(() => service.close());

/** Puts deals of one new contact at the end of a stage, past the service: their ids in order. */
async function fill(stage: number, count: number): Promise<number[]> {
  const { id } = await w.contact();
  const rows = await service.database.query<{ id: number }>(
    `WITH stage AS (
       UPDATE stages SET deals_count = deals_count + $3 WHERE id = $1 RETURNING *
     )
     INSERT INTO deals (account_id, contact_id, pipeline_id, stage_id, rank)
     SELECT account_id, $2, pipeline_id, id, deals_count - $3 + ranks_ahead + n FROM stage, generate_series(1, $3::int) AS n
     RETURNING id`,
    [stage, id, count],
  );
  return rows.map((row) => row.id);
}

interface Boards {
  readonly pipeline_board: {
    readonly stages: readonly {
      readonly stage: { readonly id: number };
      readonly count: number;
      readonly deals: readonly { readonly id: number; readonly position: number }[];
    }[];
  };
}

/** Ids of the deals of each stage in their order; fails unless their positions are 1..n. */
async function boards(): Promise<Record<number, readonly number[]>> {
  const { pipeline_board } = await w.graphql.data<Boards>(
    `{ pipeline_board(account_id: ${w.accountId}, pipeline_id: ${w.pipelineId}, per_stage: 100) {
      stages { stage { id } count deals { id position } } } }`,
  );
  const shown = pipeline_board.stages.map(({ stage, count, deals }) => {
    expect(deals.map((deal) => deal.position)).toEqual(deals.map((_, at) => at + 1));
    expect(deals).toHaveLength(count);
    return [stage.id, deals.map((deal) => deal.id)];
  });
  return Object.fromEntries(shown);
}

test('creations, moves and deletions in any order leave every deal where a list has it', async () => {
  const random = seeded(20_261_123);
  const model: Record<number, number[]> = {};
  for (const stage of w.stageIds) model[stage] = await fill(stage, 30);
  const { id: contact } = await w.contact();
  const anyStage = () => w.stageIds[random(3)] ?? 0;
  const listOf = (stage: number) => model[stage] ?? [];
  const take = (id: number) => {
    for (const list of Object.values(model)) {
      if (list.includes(id)) list.splice(list.indexOf(id), 1);
    }
  };
  for (let n = 0; n < 50; n++) {
    const stage = anyStage();
    const place = 1 + random(listOf(stage).length + 2);
    const any = listOf(anyStage());
    const id = any[random(any.length)] ?? 0;
    const kind = random(10);
    if (kind < 6) {
      expect((await w.updateDeal(id, { stage_id: stage, position: place })).id).toBe(id);
      take(id);
      listOf(stage).splice(place - 1, 0, id);
    } else if (kind < 8) {
      const deal = await w.deal({ stage_id: stage, contact_id: contact, position: place });
      listOf(stage).splice(place - 1, 0, deal.id);
      expect(deal.position).toBe(listOf(stage).indexOf(deal.id) + 1);
    } else if (kind < 9) {
      expect((await w.rest.delete(`/deals/${id}`)).status).toBe(204);
      take(id);
    } else {
      const owner = await w.contact();
      const made: number[] = [];
      for (const at of [1, place]) {
        const deal = await w.deal({ stage_id: stage, contact_id: owner.id, position: at });
        listOf(stage).splice(at - 1, 0, deal.id);
        made.push(deal.id);
      }
      expect((await w.rest.delete(`/contacts/${owner.id}`)).status).toBe(204);
      for (const each of made) take(each);
    }
    expect(await boards()).toEqual(model);
  }
});

test('a search by position finds what it shows, sorted, in a stage of many pieces and without one', async () => {
  const stage = w.other.stageId;
  const ids = await fill(stage, 120);
  const random = seeded(5);
  for (let n = 0; n < 60; n++) {
    const [from] = ids.splice(random(120), 1);
    const to = random(120);
    await w.updateDeal(from ?? 0, { position: to + 1 });
    ids.splice(to, 0, from ?? 0);
  }
  const [row] = await service.database.query<{ pieces: number; counted: boolean }>(
    'SELECT cardinality(piece_ranks) AS pieces, 0 = ANY (piece_steps) AS counted FROM stages WHERE id = $1',
    [stage],
  );
  expect(row).toEqual({ pieces: expect.anything(), counted: true });
  expect(row?.pieces).toBeGreaterThan(10);
  const found = async (query: object) => {
    const sent = { query: { s: 'position desc', ...query }, per_page: 100 };
    const { body } = await w.rest.post<{ data: { id: number; position: number }[] }>(
      '/deals/search',
      sent,
    );
    for (const { id, position } of body.data) {
      if (ids.includes(id)) expect(position).toBe(ids.indexOf(id) + 1);
    }
    return body.data.filter(({ id }) => ids.includes(id)).map(({ id }) => id);
  };
  const backwards = (from: number, to: number) => ids.slice(from - 1, to).reverse();
  for (const own of [{ stage_id_eq: stage }, { pipeline_id_eq: w.other.pipelineId }, {}]) {
    expect(await found({ ...own, position_eq: 60 })).toEqual(backwards(60, 60));
    expect(await found({ ...own, position_gteq: 50, position_lt: 60 })).toEqual(backwards(50, 59));
    expect(await found({ ...own, position_lteq: 5 })).toEqual(backwards(1, 5));
    // A second sort by the same attribute changes nothing.
    const twice = { s: ['position desc', 'position asc'] };
    expect(await found({ ...own, ...twice, position_lteq: 5 })).toEqual(backwards(1, 5));
    expect(await found({ ...own, position_gt: 117 })).toEqual(backwards(118, 120));
    expect(await found({ ...own, position_in: [7, 9, 7, 0, 1_000_000] })).toEqual(
      [9, 7].map((at) => ids[at - 1]),
    );
    expect(await found({ ...own, position_not_in: [119], position_gteq: 118 })).toEqual(
      [120, 118].map((at) => ids[at - 1]),
    );
    const either = { g: [{ m: 'or', position_eq: 3, position_gt: 119 }] };
    expect(await found({ ...own, ...either })).toEqual([120, 3].map((at) => ids[at - 1]));
    expect(await found({ ...own, position_lt_any: [3, 2] })).toEqual(backwards(1, 2));
    expect(await found({ ...own, position_gt_all: [116, 118] })).toEqual(backwards(119, 120));
    expect(await found({ ...own, position_eq_all: [7, 7] })).toEqual(backwards(7, 7));
    expect(await found({ ...own, position_eq_all: [7, 8] })).toEqual([]);
    expect(await found({ ...own, position_not_eq: 119, position_gt: 117 })).toEqual(
      [120, 118].map((at) => ids[at - 1]),
    );
    const all = { ...own, position_not_eq_any: [1, 2], position_present: true };
    expect(await found({ ...all, position_gt: 118 })).toEqual(backwards(119, 120));
    const byId = backwards(101, 120).sort((one, other) => one - other);
    expect(await found({ ...own, position_gt: 100, s: 'id' })).toEqual(byId);
    expect(await found({ ...own, position_lteq: 0 })).toEqual([]);
    expect(await found({ ...own, position_gt: 9_007_199_254_740_991 })).toEqual([]);
  }
});

/** How many deals of the account a request writes. */
async function dealsWritten(request: () => Promise<Answer>): Promise<number> {
  const before = await service.database.query<{ now: string }>(
    'SELECT pg_current_snapshot()::text AS now',
  );
  const answer = await request();
  expect(answer.status).toBeLessThan(300);
  const [row] = await service.database.query<{ count: number }>(
    `SELECT count(*) AS count FROM deals WHERE account_id = $1
       AND NOT pg_visible_in_snapshot(xmin::text::xid8, $2::pg_snapshot)`,
    [w.accountId, before[0]?.now],
  );
  return row?.count ?? 0;
}

test('moves, insertions and removals in a large stage write few deals', async () => {
  const stage = w.stageIds[0];
  const ids = await fill(stage, 5000);
  const contact_id = (await w.contact()).id;
  const id = (at: number) => ids[at] ?? 0;
  const put = (at: number, body: object) => () => w.rest.put(`/deals/${id(at)}`, { ...body });
  const post = (position: number | null) => () =>
    w.rest.post('/deals', { stage_id: stage, contact_id, position });
  const { deal } = await w.dealProduct({ deal_id: (await w.deal({ stage_id: stage })).id });
  const requests = {
    'to the front': put(4000, { position: 1 }),
    'to the middle': put(1000, { position: 2500 }),
    'to the end': put(10, { position: null }),
    out: put(2000, { stage_id: w.stageIds[1] }),
    'back in': put(2000, { stage_id: stage, position: 700 }),
    'created at 1': post(1),
    'created in the middle': post(2500),
    'created at the end': post(null),
    deleted: () => w.rest.delete(`/deals/${id(50)}`),
    'deleted with its contact': () => w.rest.delete(`/contacts/${deal.contact_id}`),
  };
  for (const [name, request] of Object.entries(requests)) {
    const written = await dealsWritten(request);
    expect([name, Math.max(written, 100)]).toEqual([name, 100]);
  }
});

test('deals around some place of a large stage are found without reading the stage', async () => {
  const stage_id_eq = w.other.stageId;
  await fill(stage_id_eq, 20_000);
  await service.database.query('ANALYZE stages, deals');
  for (const query of [{ position_gt: 19_990 }, { position_eq: 19_990 }, { position_lteq: 10 }]) {
    const searched = { stage_id_eq, ...query };
    const read = await rowsReadBy(service.database, 'deals', w.accountId, searched);
    // Each deal is found, counted and shown; 130 may be there from before.
    expect([query, Math.max(read, 500)]).toEqual([query, 500]);
  }
});
