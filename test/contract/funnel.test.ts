/** `pipeline_funnel` and `pipeline_forecast` beside the ways of deals as the test sent them along, with the clocks of Intl. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { ForecastStage, FunnelStage } from '../../src/generated/graphql.ts';
import { Random } from '../fuzz/random.ts';
import { sharedService } from '../kit/service.ts';
import { dayOf, medianOf, rounded } from '../kit/summarised.ts';
import { type World, world } from '../kit/world.ts';

const service = await sharedService();

const document = `query ($account_id: Integer!, $id: Integer!, $query: SearchQuery,
    $on: DealMoment! = created_at, $time_zone: Text, $from: Text, $to: Text) {
  pipeline_funnel(account_id: $account_id, pipeline_id: $id, query: $query,
    on: $on, time_zone: $time_zone, from: $from, to: $to) {
    stage_id stage_name reached went_on won lost median_days
  }
}`;

async function funnel(w: World, args: object = {}): Promise<readonly FunnelStage[]> {
  const variables = { account_id: w.accountId, id: w.pipelineId, ...args };
  const data = await w.graphql.data<{ pipeline_funnel: readonly FunnelStage[] }>(
    document,
    variables,
  );
  return data.pipeline_funnel.map((stage) => ({
    ...stage,
    median_days: rounded(stage.median_days),
  }));
}

/** What a deal was from some moment on. */
interface Step {
  readonly at: number;
  readonly stage_id: number;
  readonly status: string;
}

interface Way {
  readonly id: number;
  readonly steps: readonly Step[];
}

const hour = 3_600_000;
const statuses = ['open', 'won', 'lost'];

/** Sends a deal from stage to stage and status to status, some hours apart. */
async function travel(w: World, random: Random, start: number): Promise<Way> {
  const stages = [...w.stageIds, w.other.stageId];
  const next = () => ({
    stage_id: random.pick(stages),
    status: random.chance(0.6) ? 'open' : random.pick(statuses),
  });
  const steps: Step[] = [{ ...next(), at: start }];
  const { id } = await w.deal({ name: `deal ${start % 2}`, ...steps[0], at: undefined });
  for (let at = start, changes = random.below(6); changes > 0; changes -= 1) {
    at += (1 + random.below(300)) * hour;
    const [before, after] = [steps.at(-1), next()];
    if (before?.stage_id === after.stage_id && before.status === after.status) continue;
    // No event says that a deal was created as won when the next one says that it was lost.
    const isNeverOpen = [...steps, after].every(({ status }) => status !== 'open');
    if (isNeverOpen && before?.status !== after.status) continue;
    await w.updateDeal(id, after);
    steps.push({ ...after, at });
  }
  return { id, steps };
}

/** Puts the deals and their events at the moments of their steps. */
async function backdate({ accountId }: World, ways: readonly Way[]): Promise<void> {
  const all = ways.flatMap(({ id, steps }) => steps.map(({ at }, n) => ({ id, n: n + 1, at })));
  const updated = await service.database.query<{ id: number }>(
    `UPDATE events SET created_at = to_timestamp(t.at / 1000.0)
     FROM unnest($1::bigint[], $2::int[], $3::float8[]) AS t (deal_id, n, at),
       (SELECT id, row_number() OVER (PARTITION BY deal_id ORDER BY id) AS n FROM events WHERE account_id = $4) AS e
     WHERE events.account_id = $4 AND events.deal_id = t.deal_id AND e.id = events.id AND e.n = t.n RETURNING events.id`,
    [all.map(({ id }) => id), all.map(({ n }) => n), all.map(({ at }) => at), accountId],
  );
  expect(updated).toHaveLength(all.length);
  await service.database.query(
    `UPDATE deals SET created_at = (SELECT min(e.created_at) FROM events e WHERE e.account_id = $2 AND e.deal_id = deals.id)
     WHERE account_id = $2 AND id = ANY ($1)`,
    [ways.map(({ id }) => id), accountId],
  );
}

/** Where a deal was when it was won or lost for the last time; undefined of one that is open. */
function endOf({ steps }: Way): Step | undefined {
  const closings = steps.filter(
    ({ status }, n) => status !== 'open' && status !== steps[n - 1]?.status,
  );
  return steps.at(-1)?.status === 'open' ? undefined : closings.at(-1);
}

/** Hours that a deal stood at a stage while it was open; null while it does, and if it never did. */
function stay({ steps }: Way, stageId: number): number | null {
  const stays = steps.flatMap(({ at, status, stage_id }, n) =>
    status === 'open' && stage_id === stageId ? [(steps[n + 1]?.at ?? Number.NaN) - at] : [],
  );
  const ms = stays.reduce((sum, one) => sum + one, 0);
  return stays.length === 0 || Number.isNaN(ms) ? null : ms / hour;
}

const names = ['New', 'Talks', 'Offer'];

function expected(w: World, ways: readonly Way[]): readonly FunnelStage[] {
  const stages: readonly number[] = w.stageIds;
  return stages.map((stage_id, position) => {
    const furthest = ({ steps }: Way) =>
      Math.max(...steps.map(({ stage_id }) => stages.indexOf(stage_id)));
    const reached = ways.filter((way) => furthest(way) >= position);
    const ended = (status: string) =>
      reached.filter((way) => {
        const end = endOf(way);
        return end?.status === status && end.stage_id === stage_id;
      }).length;
    const hours = reached.flatMap((way) => stay(way, stage_id) ?? []);
    const median = medianOf(hours);
    return {
      stage_id,
      stage_name: names[position] ?? '',
      reached: reached.length,
      went_on: reached.filter((way) => furthest(way) > position).length,
      won: ended('won'),
      lost: ended('lost'),
      median_days: median === null ? null : rounded(median / 24),
    };
  });
}

describe('the funnel', () => {
  let w: World;
  let ways: readonly Way[];
  beforeAll(async () => {
    w = await world(service);
    const random = new Random(16);
    const starts = ['2018-11-03T12:00Z', '2019-02-16T12:00Z', '2019-03-30T12:00Z'];
    const deals: Way[] = [];
    for (let n = 0; n < 60; n += 1) {
      deals.push(await travel(w, random, Date.parse(starts[n % 3] ?? '') + n * 1_801_001));
    }
    await backdate(w, deals);
    ways = deals;
  }, 30_000);

  test('is that of every way that was gone', async () => {
    const all = expected(w, ways);
    expect(await funnel(w)).toEqual(all);
    // Of each kind there are some, or nothing would be proved.
    expect(
      all.flatMap(({ went_on, won, lost }) => [went_on, won, lost]).slice(0, -3),
    ).not.toContain(0);
  });

  test.each(['America/Sao_Paulo', 'Europe/Berlin', 'UTC'])(
    'of the deals of some days of %s, over a change of summer time',
    async (time_zone) => {
      for (const [from, to] of [
        ['2018-11-04', '2018-11-04'],
        ['2019-02-16', '2019-02-16'],
        ['2019-02-17', '2019-03-31'],
      ] as const) {
        const those = ways.filter(({ steps }) => {
          const day = dayOf(new Date(steps[0]?.at ?? 0).toISOString(), time_zone);
          return day >= from && day <= to;
        });
        expect(those.length).toBeGreaterThan(5);
        expect(await funnel(w, { time_zone, from, to })).toEqual(expected(w, those));
      }
    },
  );

  test('of the deals that a search finds, in one statement', async () => {
    const those = ways.filter(({ steps }) => (steps[0]?.at ?? 0) % 2 === 1);
    service.statements.length = 0;
    expect(await funnel(w, { query: { name_eq: 'deal 1' } })).toEqual(expected(w, those));
    expect(service.statements).toHaveLength(1);
  });

  test('has the stages of the pipeline alone', async () => {
    const [lead, ...more] = await funnel(w, { id: w.other.pipelineId });
    expect(more).toEqual([]);
    const there = ways.filter(({ steps }) =>
      steps.some(({ stage_id }) => stage_id === w.other.stageId),
    );
    expect([lead?.stage_name, lead?.reached]).toEqual(['Lead', there.length]);
  });
});

describe('the forecast', () => {
  const form = `query ($account_id: Integer!, $id: Integer!, $query: SearchQuery, $months: Integer = 12, $zone: Text) {
    pipeline_forecast(account_id: $account_id, pipeline_id: $id, query: $query, months: $months, time_zone: $zone) {
      stage_id stage_name open sum_in_cents closed won expected_in_cents
    }
  }`;
  const forecast = async (w: World, args: object = {}) => {
    const variables = { account_id: w.accountId, id: w.pipelineId, ...args };
    const data = await w.graphql.data<{ pipeline_forecast: readonly ForecastStage[] }>(
      form,
      variables,
    );
    return data.pipeline_forecast;
  };
  const amount = ({ id }: Way) => (id % 7) * 1001;

  test('is that of every way that was gone, and agrees with the funnel on who reached what', async () => {
    const w = await world(service);
    const random = new Random(17);
    const ways: Way[] = [];
    for (let n = 0; n < 40; n += 1) ways.push(await travel(w, random, n));
    await service.database.query(
      'UPDATE deals SET total_deal_products_amount_in_cents = id % 7 * 1001 WHERE account_id = $1',
      [w.accountId],
    );
    const stages: readonly number[] = w.stageIds;
    const expectedOf = (chosen: readonly Way[]) =>
      stages.map((stage_id, position) => {
        const open = chosen.filter(({ steps }) => {
          const last = steps.at(-1);
          return last?.status === 'open' && last.stage_id === stage_id;
        });
        const closed = ways.filter(
          (way) =>
            endOf(way) && way.steps.some((step) => stages.indexOf(step.stage_id) >= position),
        );
        const won = closed.filter((way) => endOf(way)?.status === 'won').length;
        const sum = open.reduce((all, way) => all + amount(way), 0);
        return {
          stage_id,
          stage_name: names[position],
          open: open.length,
          sum_in_cents: sum,
          closed: closed.length,
          won,
          expected_in_cents: Math.round((sum * won) / closed.length),
        };
      });
    service.statements.length = 0;
    expect(await forecast(w)).toEqual(expectedOf(ways));
    expect(service.statements).toHaveLength(1);
    // The history is the pipeline's own, whichever open deals are chosen.
    const query = { name_eq: 'deal 1' };
    expect(await forecast(w, { query })).toEqual(
      expectedOf(ways.filter(({ steps }) => (steps[0]?.at ?? 0) % 2 === 1)),
    );
    const closed = await funnel(w, { query: { status_in: ['won', 'lost'] } });
    expect((await forecast(w)).map((stage) => stage.closed)).toEqual(
      closed.map(({ reached }) => reached),
    );
  });

  test('counts what was closed within the months, to the day of the zone', async () => {
    const w = await world(service);
    const won = await w.deal({ status: 'won', stage_id: w.stageIds[1] });
    const closedCounts = async (args: object) =>
      (await forecast(w, args)).map(({ closed }) => closed);
    const closedAt = (moment: string) =>
      service.database.query(
        `UPDATE deals SET won_at = ${moment} WHERE account_id = $1 AND id = $2`,
        [w.accountId, won.id],
      );
    const today = `(now() AT TIME ZONE 'Pacific/Kiritimati')::date`;
    const zone = 'Pacific/Kiritimati';
    await closedAt(`(${today} - interval '3 months') AT TIME ZONE '${zone}'`);
    expect(await closedCounts({ months: 3, zone })).toEqual([1, 1, 0]);
    expect(await closedCounts({ months: 2, zone })).toEqual([0, 0, 0]);
    await closedAt(`(${today} - interval '3 months 1 millisecond') AT TIME ZONE '${zone}'`);
    expect(await closedCounts({ months: 3, zone })).toEqual([0, 0, 0]);
    expect(await closedCounts({ months: 4, zone })).toEqual([1, 1, 0]);
    expect(await forecast(w, { months: 1 })).toEqual(
      w.stageIds.map((stage_id, at) => ({
        ...{ stage_id, stage_name: names[at], open: 0, sum_in_cents: 0 },
        ...{ closed: 0, won: 0, expected_in_cents: null },
      })),
    );
  });

  test('404 for a pipeline of another account, before what is wrong with the search', async () => {
    const [w, stranger] = [await world(service), await world(service)];
    const send = async (args: object) => {
      const variables = { account_id: w.accountId, id: w.pipelineId, ...args };
      const { body } = await w.graphql.send(form, variables);
      return body.errors?.[0]?.extensions;
    };
    const wrong = { query: { x_eq: 1 }, months: 121, zone: 'CET' };
    expect((await send({ ...wrong, id: stranger.pipelineId }))?.code).toBe('NOT_FOUND');
    const told = await send(wrong);
    expect([told?.code, told?.fields]).toEqual([
      'INVALID_SEARCH',
      {
        x_eq: [expect.any(String)],
        months: ['must be less than or equal to 120'],
        time_zone: ['must be an IANA time zone, such as America/Sao_Paulo'],
      },
    ]);
  });
});

test('a stage is reached by a deal that stays there, which tells no days until it leaves', async () => {
  const w = await world(service);
  const nothing = { reached: 0, went_on: 0, won: 0, lost: 0, median_days: null };
  expect(await funnel(w)).toMatchObject([nothing, nothing, nothing]);
  const { id } = await w.deal();
  expect(await funnel(w)).toMatchObject([{ ...nothing, reached: 1 }, nothing, nothing]);
  await w.updateDeal(id, { stage_id: w.stageIds[1], status: 'won' });
  const won = [w.accountId, id, 'deal_won'];
  const isWon = 'account_id = $1 AND deal_id = $2 AND kind = $3';
  const [event] = await service.database.query<{ later: Date }>(
    `SELECT created_at + interval '36 hours' AS later FROM events WHERE ${isWon}`,
    won,
  );
  await service.database.query(`UPDATE events SET created_at = $4 WHERE ${isWon}`, [
    ...won,
    event?.later,
  ]);
  const [first, second] = await funnel(w);
  expect(first).toMatchObject({
    ...nothing,
    reached: 1,
    went_on: 1,
    median_days: expect.closeTo(1.5, 3),
  });
  expect(second).toMatchObject({ ...nothing, reached: 1, won: 1 });
});

test('404 for a pipeline of another account, before what is wrong with the search', async () => {
  const [w, stranger] = [await world(service), await world(service)];
  const send = async (args: object) => {
    const variables = { account_id: w.accountId, id: w.pipelineId, ...args };
    const { body } = await w.graphql.send(document, variables);
    return body.errors?.[0]?.extensions;
  };
  const wrong = { query: { x_eq: 1 }, time_zone: 'CET', from: 'x', to: '2026-02-30' };
  expect((await send({ ...wrong, id: stranger.pipelineId }))?.code).toBe('NOT_FOUND');
  expect((await send({ id: stranger.pipelineId }))?.code).toBe('NOT_FOUND');
  const told = await send(wrong);
  expect([told?.code, Object.keys(told?.fields ?? {})]).toEqual([
    'INVALID_SEARCH',
    ['x_eq', 'time_zone', 'from', 'to'],
  ]);
});
