/** Sixty questions of a sales manager, beside answers that are found record by record, in three time zones. */
import { describe, expect, test } from '@jest/globals';
import { documentOf } from '../figures/document.ts';
import { listed, lists } from '../figures/lists.ts';
import { summarised } from '../figures/oracle.ts';
import { questions } from '../figures/questions.ts';
import { fill } from '../figures/world.ts';
import { sample } from '../kit/sample.ts';
import { sharedService } from '../kit/service.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);
const data = await fill(w, 57);

const zones = ['UTC', 'America/Sao_Paulo', 'Asia/Kathmandu'];

/** Averages have as many digits as a float. */
const rounded = (groups: readonly object[]): unknown =>
  JSON.parse(JSON.stringify(groups), (_, value) =>
    typeof value === 'number' ? Math.round(value * 1e6) / 1e6 : value,
  );

test('there are sixty, about records of every kind', () => {
  expect(Object.keys(questions).length).toBeGreaterThanOrEqual(60);
  const kinds = new Set(Object.values(questions).map(({ of }) => of));
  expect([...kinds].sort()).toEqual(
    ['CONTACTS', 'DEALS', 'DEAL_PRODUCTS', 'EVENTS', 'PRODUCTS', 'USERS'].sort(),
  );
  const records = Object.values(data).reduce((sum, rows) => sum + rows.length, 0);
  expect(records).toBeGreaterThan(2000);
});

describe('each is one document of at most fifteen lines and one statement', () => {
  test.each(Object.entries(questions).map((entry, at) => [...entry, at] as const))(
    '%s',
    async (_, asked, at) => {
      for (const zone of sample(zones, 3, at)) {
        const document = documentOf(asked, w.accountId, zone);
        expect(document.split('\n').length).toBeLessThanOrEqual(15);
        service.statements.length = 0;
        const answer = await w.graphql.data<{ summary: readonly object[] }>(document);
        // The service looks for what falls due, and whose token it is, by itself.
        expect(service.statements.filter((text) => / AS groups/.test(text))).toHaveLength(1);
        expect([zone, rounded(answer.summary)]).toEqual([
          zone,
          rounded(summarised(data, asked, zone)),
        ]);
      }
    },
  );
});

test.each(Object.entries(lists))('and so are lists within records: %s', async (_, asked) => {
  const { of, query, fields } = asked;
  const found: unknown[] = [];
  for (let page = 1, pages = 1; page <= pages; page++) {
    const document = `{
      ${of}(account_id: ${w.accountId}, query: ${query}, page: ${page}, per_page: 50) {
      pagination { pages } data { id
      ${fields} } } }`;
    expect(document.split('\n').length).toBeLessThanOrEqual(15);
    service.statements.length = 0;
    const answer =
      await w.graphql.data<Record<string, { pagination: { pages: number }; data: unknown[] }>>(
        document,
      );
    expect(service.statements.filter((text) => !/api_tokens/.test(text))).toHaveLength(1);
    pages = answer[of]?.pagination.pages ?? 0;
    found.push(...(answer[of]?.data ?? []));
  }
  expect(found.length).toBeGreaterThan(20);
  expect(found).toEqual(listed(data, asked));
});

test('what follows from an id that is counted is joined to a group for each of these ids', async () => {
  const grouped = /GROUP BY s."contact_id"\) AS s LEFT JOIN "contacts"/;
  for (const [measure, isLate] of [
    ['distinct(of: "contact_id")', true],
    ['distinct(of: "stage_id")', false],
    ['distinct(of: "contact_id") stages: distinct(of: "stage_id")', false],
  ] as const) {
    service.statements.length = 0;
    await w.graphql.data(
      `{ summary(account_id: ${w.accountId}, of: DEALS, by: ["contact_label_list"]) { count ${measure} } }`,
    );
    const statements = service.statements.filter((text) => / AS groups/.test(text));
    expect([measure, statements.map((text) => grouped.test(text))]).toEqual([measure, [isLate]]);
  }
});

test('what a record says of itself does not pass through joins that repeat the record', async () => {
  const late = /FROM joined\) AS s JOIN "users" AS r/;
  for (const [measure, isLate] of [
    ['distinct(of: "full_name") contacts: distinct(of: "deals_contact_id")', true],
    ['distinct(of: "full_name")', false],
  ] as const) {
    service.statements.length = 0;
    await w.graphql.data(
      `{ summary(account_id: ${w.accountId}, of: USERS, by: ["deals_status"]) { count ${measure} } }`,
    );
    const statements = service.statements.filter((text) => / AS groups/.test(text));
    expect([measure, statements.map((text) => late.test(text))]).toEqual([measure, [isLate]]);
  }
});

test('deals_summary gives the same figures where it can ask the same', async () => {
  const amount = 'of: "total_deal_products_amount_in_cents"';
  const pairs = [
    ['STATUS', 'status', 'status'],
    ['PIPELINE', 'pipeline_id', 'pipeline_id'],
    ['STAGE', 'stage_id', 'stage_id'],
    ['OWNER', 'deal_assignees_user_id', 'owner_id'],
    ['CREATOR', 'created_by_id', 'creator_id'],
    ['LABEL', 'contact_label_list', 'label'],
    ['LOST_REASON', 'lost_reason', 'lost_reason'],
    ['MONTH', 'closed_at.month', 'month'],
    ['WEEK', 'closed_at.week', 'week'],
  ] as const;
  for (const [grouping, name, field] of pairs) {
    const both = await w.graphql.data<{
      old: readonly Record<string, unknown>[];
      new: readonly { keys: readonly { label: string | null }[] }[];
    }>(
      `{ old: deals_summary(account_id: ${w.accountId}, group_by: [${grouping}], on: closed_at) {
          ${field} count sum_in_cents average_in_cents }
        new: summary(account_id: ${w.accountId}, of: DEALS, by: ["${name}"], on: "closed_at") {
          keys { value label } count sum_in_cents: sum(${amount}) average_in_cents: average(${amount}) } }`,
    );
    const old = both.old.map(({ [field]: key, ...figures }) =>
      JSON.stringify([key === '' ? null : key, figures]),
    );
    const now = both.new.map(({ keys, ...figures }) => {
      const [{ value, label } = { value: null, label: null }] = keys as readonly {
        value: unknown;
        label: string | null;
      }[];
      return JSON.stringify([name.includes('.') ? label : value, figures]);
    });
    expect([grouping, now.sort()]).toEqual([grouping, old.sort()]);
  }
});
