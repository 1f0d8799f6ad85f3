/** Each grouping and figure of `deals_summary` beside the same found row by row. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { sharedService } from '../kit/service.ts';
import {
  type DealRow,
  dealRows,
  figures,
  type Group,
  groupings,
  keyField,
  moments,
  periods,
  rounded,
  type Summary,
  summarised,
} from '../kit/summarised.ts';
import { type World, world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);
let rows: readonly DealRow[];
beforeAll(async () => {
  await fillAccount(w);
  rows = await dealRows(w);
});

/** Hours around the changes of clocks in São Paulo and in Berlin, and around the ends of years. */
const nights = [
  '2018-11-04T00:00Z',
  '2019-02-17T00:00Z',
  '2019-03-31T00:00Z',
  '2019-10-27T00:00Z',
  '2018-12-31T20:00Z',
  '2020-12-31T22:00Z',
];

/** Deals every 25 minutes of these nights, closed in another, of all sorts. */
async function fillAccount({ accountId, admin, member, stageIds, pipelineId, other }: World) {
  await service.database.query(
    `WITH people AS (
       INSERT INTO contacts (account_id, label_list)
       SELECT $1, (ARRAY['{}', '{vip}', '{vip,"new, or not"}', '{VIP,Ärger}'])[1 + n % 4]::text[]
       FROM generate_series(0, 11) AS n RETURNING id
     ), things AS (
       INSERT INTO products (account_id, name) SELECT $1, 'Thing ' || n FROM generate_series(1, 3) AS n RETURNING id
     ), moments AS (
       SELECT night, at, n, row_number() OVER () AS number FROM unnest($2::timestamptz[]) WITH ORDINALITY AS t (at, night),
         generate_series(0, 29) AS n
     ), made AS (
       INSERT INTO deals (account_id, contact_id, pipeline_id, stage_id, created_by_id, rank, status, lost_reason,
         created_at, won_at, lost_at)
       SELECT $1, (SELECT id FROM people ORDER BY id OFFSET number % 12 LIMIT 1),
         CASE WHEN number % 7 = 0 THEN $6 ELSE $5 END::bigint,
         CASE WHEN number % 7 = 0 THEN $7 ELSE ($4::bigint[])[1 + number % 3] END,
         ($3::bigint[])[number % 3], number, (ARRAY['open', 'won', 'lost', 'won'])[1 + number % 4],
         CASE number % 8 WHEN 2 THEN 'Price' WHEN 6 THEN repeat('é', 300) ELSE '' END,
         start, CASE WHEN number % 2 = 1 THEN ending END, CASE WHEN number % 4 = 2 THEN ending END
       FROM moments, LATERAL (SELECT at + n * interval '25 minutes 0.007 seconds' AS start) AS s,
         LATERAL (SELECT ($2::timestamptz[])[1 + (night + number) % 6] + n * interval '19 minutes' AS ending) AS e
       RETURNING *
     ), assigned AS (
       INSERT INTO deal_assignees (account_id, deal_id, user_id)
       SELECT $1, made.id, person FROM made, unnest($3::bigint[]) WITH ORDINALITY AS u (person, n)
       WHERE made.id % 4 IN (n, 3)
     ), bought AS (
       INSERT INTO deal_products (account_id, deal_id, product_id, quantity, unit_amount_in_cents, total_amount_in_cents)
       SELECT $1, made.id, things.id, 1 + made.id % 5, 99, (1 + made.id % 5) * 99
       FROM made, things, generate_series(1, 2) AS twice WHERE (made.id + things.id) % 3 < twice
       RETURNING deal_id, total_amount_in_cents
     ) SELECT 1`,
    [
      accountId,
      nights,
      [admin.id, member.id],
      stageIds,
      pipelineId,
      other.pipelineId,
      other.stageId,
    ],
  );
  await service.database.query(
    `UPDATE deals SET total_deal_products_amount_in_cents =
       (SELECT coalesce(sum(total_amount_in_cents), 0) FROM deal_products p WHERE p.account_id = $1 AND p.deal_id = deals.id)
     WHERE account_id = $1`,
    [accountId],
  );
}

const document = `query ($account_id: Integer!, $query: SearchQuery, $group_by: [DealGrouping!]! = [],
    $on: DealMoment! = created_at, $time_zone: Text, $from: Text, $to: Text, $fill: Boolean! = false,
    $sort: DealMeasure, $ascending: Boolean! = false, $limit: Integer) {
  deals_summary(account_id: $account_id, query: $query, group_by: $group_by, on: $on,
    time_zone: $time_zone, from: $from, to: $to, fill: $fill, sort: $sort, ascending: $ascending, limit: $limit) {
    ${groupings.map(keyField).join(' ')} is_rest ${figures.join(' ')}
  }
}`;

/** What the service answers, without the fields that it does not group by. */
async function answered(
  of: World,
  summary: Summary & { query?: object },
): Promise<readonly Group[]> {
  const data = await of.graphql.data<{ deals_summary: readonly Group[] }>(document, {
    account_id: of.accountId,
    ...summary,
  });
  const shown = [...(summary.group_by ?? []).map(keyField), 'is_rest', ...figures];
  return data.deals_summary.map((group) => ({
    ...Object.fromEntries(shown.map((field) => [field, group[field] ?? null])),
    average_days_to_close: rounded(group.average_days_to_close),
    median_days_to_close: rounded(group.median_days_to_close),
  }));
}

async function expectAlike(summary: Summary): Promise<readonly Group[]> {
  const expected = summarised(rows, summary);
  expect([summary, await answered(w, summary)]).toEqual([summary, expected]);
  return expected;
}

describe('groups and figures are those found row by row', () => {
  test.each(groupings)('by %s, on each moment', async (grouping) => {
    for (const on of moments) {
      const groups = await expectAlike({
        group_by: [grouping],
        on,
        time_zone: 'America/Sao_Paulo',
      });
      expect(groups.length).toBeGreaterThan(1);
    }
  });

  test.each(['America/Sao_Paulo', 'Europe/Berlin', 'Asia/Kathmandu', 'Pacific/Apia'])(
    'by each period of %s',
    async (time_zone) => {
      for (const period of periods) {
        await expectAlike({ group_by: [period], time_zone, on: 'closed_at' });
        await expectAlike({ group_by: [period, 'STATUS'], time_zone });
      }
    },
  );

  test('by several at once, and by none', async () => {
    await expectAlike({});
    await expectAlike({ group_by: ['OWNER', 'PRODUCT', 'LABEL'] });
    await expectAlike({ group_by: ['STAGE', 'MONTH', 'WEEK', 'CREATOR'], on: 'won_at' });
    const once = await answered(w, { group_by: ['LABEL'] });
    expect(await answered(w, { group_by: ['LABEL', 'LABEL'] })).toEqual(once);
  });

  test('of days that clocks skip an hour of, or have one twice', async () => {
    for (const [time_zone, day] of [
      ['America/Sao_Paulo', '2018-11-04'],
      ['America/Sao_Paulo', '2019-02-16'],
      ['Europe/Berlin', '2019-03-31'],
      ['Europe/Berlin', '2019-10-27'],
    ]) {
      const [group] = await expectAlike({ group_by: ['DAY'], time_zone, from: day, to: day });
      expect(group).toMatchObject({ day });
    }
  });

  test('between two days, whatever it groups by', async () => {
    for (const time_zone of ['America/Sao_Paulo', 'Europe/Berlin', 'Pacific/Kiritimati']) {
      await expectAlike({ time_zone, from: '2018-11-04', to: '2018-12-31', group_by: ['STATUS'] });
      await expectAlike({ time_zone, from: '2019-01-01', on: 'closed_at' });
      await expectAlike({ time_zone, to: '2018-12-31', on: 'lost_at', group_by: ['LOST_REASON'] });
    }
  });
});

describe('periods without deals', () => {
  test.each(periods)('%s: from the first with deals to the last', async (period) => {
    const filled = await expectAlike({
      group_by: [period],
      fill: true,
      time_zone: 'Europe/Berlin',
    });
    if (period !== 'YEAR') expect(filled.some(({ count }) => count === 0)).toBe(true);
  });

  test.each(periods)('%s: all between two days', async (period) => {
    const span = { from: '2017-12-30', to: '2019-03-02' };
    await expectAlike({ group_by: [period], fill: true, ...span });
    await expectAlike({ group_by: [period], fill: true, ...span, on: 'closed_at' });
    const nothing = { group_by: [period], fill: true, from: '2017-01-01', to: '2017-03-01' };
    const empty = await expectAlike(nothing);
    expect(empty.map(({ count }) => count)).not.toContain(1);
  });

  test('are there for each combination of the others', async () => {
    await expectAlike({ group_by: ['OWNER', 'MONTH', 'LABEL'], fill: true, on: 'won_at' });
    await expectAlike({ group_by: ['QUARTER', 'PRODUCT'], fill: true, to: '2021-12-31' });
  });
});

describe('sorted and limited', () => {
  test.each(figures)('by %s, those without one last', async (sort) => {
    for (const ascending of [true, false]) {
      await expectAlike({ group_by: ['MONTH'], fill: true, sort, ascending, to: '2021-03-05' });
      await expectAlike({ group_by: ['STAGE', 'PRODUCT', 'CREATOR'], sort, ascending });
    }
  });

  test('the others are one group behind, with what they come to together', async () => {
    for (const limit of [1, 2, 5, 100]) {
      await expectAlike({ group_by: ['OWNER', 'LABEL'], limit });
      await expectAlike({ group_by: ['PRODUCT', 'DAY'], limit, sort: 'sum_in_cents' });
      await expectAlike({ group_by: ['MONTH'], fill: true, limit, sort: 'units', on: 'closed_at' });
    }
    const all = await expectAlike({ group_by: ['STATUS'], limit: 3 });
    expect(all.map(({ is_rest }) => is_rest)).toEqual([false, false, false]);
  });
});

describe('the time zone', () => {
  test('is the account’s own when none is given, and UTC when it has none', async () => {
    const own = await world(service);
    await own.deal();
    await service.database.query('UPDATE deals SET created_at = $2 WHERE account_id = $1', [
      own.accountId,
      '2019-01-01T01:30Z',
    ]);
    const year = async (summary: Summary = {}) =>
      (await answered(own, { group_by: ['YEAR'], ...summary })).map((group) => group.year);
    expect(await year()).toEqual(['2019']);
    await own.rest.put('', { time_zone: 'America/Sao_Paulo' });
    expect(await year()).toEqual(['2018']);
    expect(await year({ time_zone: 'Europe/Berlin' })).toEqual(['2019']);
    expect(await year({ to: '2018-12-31' })).toEqual(['2018']);
    expect(await year({ from: '2019-01-01' })).toEqual([]);
  });
});

describe('what cannot be is told by argument', () => {
  const told = async (of: World, summary: object) => {
    const { body } = await of.graphql.send(document, { account_id: of.accountId, ...summary });
    const { code, fields } = body.errors?.[0]?.extensions ?? {};
    expect(code).toBe('INVALID_SEARCH');
    return fields;
  };

  test('all of it at once', async () => {
    expect(
      await told(w, {
        query: { nonsense_eq: 1 },
        time_zone: 'Mars/Base',
        from: '2019-02-29',
        to: 'today',
        limit: 0,
        fill: true,
        group_by: ['STATUS'],
      }),
    ).toEqual({
      nonsense_eq: ['is not a searchable attribute'],
      time_zone: ['must be an IANA time zone, such as America/Sao_Paulo'],
      from: ['must be a day, such as 2026-03-01'],
      to: ['must be a day, such as 2026-03-01'],
      limit: ['must be greater than or equal to 1'],
      fill: ['needs one of DAY, WEEK, MONTH, QUARTER and YEAR in group_by, and one alone'],
    });
    expect(await told(w, { from: '2019-02-02', to: '2019-02-01', limit: 10_001 })).toEqual({
      to: ['must not be before from'],
      limit: ['must be less than or equal to 10000'],
    });
    expect(await told(w, { fill: true, group_by: ['DAY', 'WEEK'] })).toHaveProperty('fill');
    expect(await told(w, { time_zone: false, from: [], to: 1.5 })).toEqual({
      time_zone: ['must be a string'],
      from: ['must be a string'],
      to: ['must be a string'],
    });
  });

  test('a zone that the database does not know', async () => {
    const own = await world(service);
    await service.database.query("UPDATE accounts SET time_zone = 'Mars/Base' WHERE id = $1", [
      own.accountId,
    ]);
    const fields = { time_zone: ['is not known to the database'] };
    await own.deal();
    expect(await told(own, { group_by: ['DAY'] })).toEqual(fields);
    expect(await answered(own, {})).toMatchObject([{ count: 1 }]);
  });

  test('more than 10,000 groups, or periods to fill', async () => {
    const days = { group_by: ['DAY'], fill: true, from: '2000-01-01' };
    expect(await answered(w, { ...days, to: '2027-05-18' } as Summary)).toHaveLength(10_000);
    const message = 'makes more than 10000 groups: group by less, or narrow the query';
    for (const to of ['2027-05-19', '9999-12-31']) {
      expect(await told(w, { ...days, to, limit: 5 })).toEqual({ fill: [message] });
    }
    const own = await world(service);
    await service.database.query(
      `INSERT INTO contacts (account_id, label_list)
       SELECT $1, ARRAY(SELECT 'label ' || n FROM generate_series(1, 10001) AS n)`,
      [own.accountId],
    );
    const [contact] = (await own.rest.get<{ data: { id: number }[] }>('/contacts/search')).body
      .data;
    await own.deal({ contact_id: contact?.id });
    expect(await told(own, { group_by: ['LABEL'] })).toEqual({ group_by: [message] });
    const [first, rest] = await answered(own, { group_by: ['LABEL'], limit: 1 });
    expect([first?.label, rest?.is_rest, rest?.count]).toEqual(['label 1', true, 10_000]);
  });
});

test('whatever is asked is one statement, and what is not asked for is not joined', async () => {
  // Who asks is known from now on.
  await w.rest.get('/me');
  service.statements.length = 0;
  await answered(w, { group_by: ['OWNER', 'LABEL', 'MONTH'], fill: true, sort: 'units', limit: 3 });
  expect(service.statements).toHaveLength(1);
  const text = `{ deals_summary(account_id: ${w.accountId}, group_by: [CREATOR]) { count } }`;
  await w.graphql.data(text);
  expect(JSON.stringify(service.statements[1])).not.toMatch(
    /FROM deal_products|date_part|percentile/,
  );
});
