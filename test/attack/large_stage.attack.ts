/** A stage of 200,000 deals that many move deals in at once, and the user who created them all. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Answer } from '../kit/http.ts';
import { unauthorized } from '../kit/refusals.ts';
import type { Body } from '../kit/rest.ts';
import { seeded } from '../kit/seeded.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/wait.ts';
import { type World, world } from '../kit/world.ts';
import { tell } from './scene.ts';

const size = 200_000;
const small = 200;

let service: Service;
let w: World;
let ids: number[];
let smallIds: number[];
beforeAll(async () => {
  service = await startService();
  w = await world(service);
  ids = await fill(w.stageIds[0], size);
  smallIds = await fill(w.stageIds[1], small);
  await service.database.query('VACUUM ANALYZE');
}, 300_000);
afterAll(() => service.close());

/** Puts deals that the member created at the end of a stage, past the service: their ids in order. */
async function fill(stage: number, count: number): Promise<number[]> {
  const { id } = await w.contact();
  const rows = await service.database.query<{ id: number }>(
    `WITH stage AS (
       UPDATE stages SET deals_count = deals_count + $3 WHERE id = $1 RETURNING *
     ), made AS (
       INSERT INTO deals (account_id, contact_id, pipeline_id, stage_id, created_by_id, name, rank)
       SELECT account_id, $2, pipeline_id, id, $4, md5(n::text), deals_count - $3 + n FROM stage, generate_series(1, $3::int) AS n
       RETURNING *
     ), assigned AS (
       INSERT INTO deal_assignees (account_id, deal_id, user_id) SELECT account_id, id, created_by_id FROM made
     )
     SELECT id FROM made ORDER BY rank`,
    [stage, id, count, w.member.id],
  );
  return rows.map((row) => row.id);
}

/** Ids of a stage's deals by the positions that the service shows; fails unless these are 1..n. */
async function order(stage: number): Promise<number[]> {
  const shown: number[] = [];
  for (let page = 1; shown.length === (page - 1) * 100; page++) {
    // By id the pages are found fast; the positions put them in order.
    const query = { stage_id_eq: stage, id_gt: shown.length === 0 ? 0 : (shown.at(-1) ?? 0) };
    const answer = await w.rest.post<{ data: { id: number; position: number }[] }>(
      '/deals/search',
      { query: { ...query, s: 'id' }, per_page: 100 },
    );
    for (const deal of answer.body.data) {
      shown.push(deal.id);
      places.set(deal.id, deal.position);
    }
  }
  const sorted = shown.toSorted((one, other) => (places.get(one) ?? 0) - (places.get(other) ?? 0));
  expect(sorted.map((id) => places.get(id))).toEqual(sorted.map((_, at) => at + 1));
  return sorted;
}
const places = new Map<number, number>();

/** Milliseconds that requests take, one after the other. */
async function timed(name: string, times: number, request: (n: number) => Promise<Answer>) {
  const took: number[] = [];
  for (let n = 0; n < times; n++) {
    const begin = performance.now();
    const { status, text } = await request(n);
    took.push(performance.now() - begin);
    if (status >= 300) throw new Error(text);
  }
  took.sort((one, other) => one - other);
  const at = (share: number) => took[Math.floor(times * share)] ?? 0;
  const figures = { p50: at(0.5), p99: at(0.99) };
  tell(name, figures);
  return figures;
}

test('whatever is done to deals takes less than 50 ms, and little more than in a stage of 200', async () => {
  const random = seeded(1);
  const [large, little] = w.stageIds;
  const contact_id = (await w.contact()).id;
  const put = (id: number | undefined, body: Body) => w.rest.put(`/deals/${id}`, body);
  const anyOf = (of: readonly number[]) => of[random(of.length)];
  const move = (of: readonly number[]) => () => put(anyOf(of), { position: 1 + random(of.length) });
  const create = (stage_id: number | undefined, position: number) => () =>
    w.rest.post('/deals', { stage_id, contact_id, position });
  const there = {
    moves: await timed('moves among 200', 300, move(smallIds)),
    created: await timed('created among 200', 100, create(little, small / 2)),
  };
  const here = {
    moves: await timed('moves', 300, move(ids)),
    front: await timed('moves to the front', 300, () => put(anyOf(ids), { position: 1 })),
    middle: await timed('moves to the middle', 300, () => put(anyOf(ids), { position: size / 2 })),
    out: await timed('moves out', 300, (n) => put(ids[n * 600], { stage_id: little })),
    in: await timed('moves in', 300, (n) =>
      put(ids[n * 600], { stage_id: large, position: 1 + random(size) }),
    ),
    created: await timed('created at the front', 300, create(large, 1)),
    removed: await timed('removed', 300, (n) => w.rest.delete(`/deals/${ids[n * 600 + 1]}`)),
  };
  expect(here.moves.p50 / there.moves.p50).toBeLessThan(5);
  expect(here.created.p50 / there.created.p50).toBeLessThan(5);
  const left = ids.filter((_, at) => at % 600 !== 1);
  for (let n = 0; n < 4000; n++) await move(left)();
  const after = await timed('moves after 4,000 others', 300, move(left));
  for (const { p99 } of [...Object.values(here), after]) expect(p99).toBeLessThan(50);
}, 600_000);

test('600 moves by 30 clients leave positions 1..n, and what did not move in its order', async () => {
  const [before, random] = [await order(w.stageIds[0]), seeded(2)];
  const moved = new Set<number>();
  const client = async () => {
    for (let n = 0; n < 20; n++) {
      const id = before[random(size)] ?? 0;
      moved.add(id);
      const kind = random(3);
      const body =
        kind === 0
          ? { stage_id: w.stageIds[random(2)], position: 1 + random(small) }
          : { stage_id: w.stageIds[0], position: kind === 1 ? 1 + random(size) : 1 };
      const { status, text } = await w.rest.put(`/deals/${id}`, body);
      expect([status, text.slice(0, 100)]).toEqual([200, expect.anything()]);
    }
  };
  await Promise.all(Array.from({ length: 30 }, client));
  const after = await order(w.stageIds[0]);
  await order(w.stageIds[1]);
  const stayed = (list: readonly number[]) => list.filter((id) => !moved.has(id));
  expect(stayed(after)).toEqual(stayed(before));
}, 300_000);

test('the user who created them is removed, its token at once', async () => {
  await w.restAs(w.admin.token).get('/pipelines');
  const answer = w.rest.delete(`/users/${w.member.id}`);
  const tokens = () =>
    service.database.query('SELECT FROM api_tokens WHERE user_id = $1', [w.member.id]);
  await until(tokens, (found) => found.length === 0, 5000);
  expect(await w.restAs(w.member.token).get('/pipelines')).toAnswer(401, unauthorized);
  const [left] = await service.database.query<{ count: number }>(
    'SELECT count(*) AS count FROM deals WHERE created_by_id = $1',
    [w.member.id],
  );
  expect(left?.count).toBeGreaterThan(size / 2);
  expect(await answer).toAnswer(204, undefined);
}, 300_000);
