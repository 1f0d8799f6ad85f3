/** What a search costs: which index serves it, one statement, an end when it takes too long. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ColumnKind, kindOf, type ShapeName } from '../../src/db/sql/shape.ts';
import { shapes } from '../../src/resources/shapes.ts';
import { createDatabase, type TestDatabase } from '../kit/database.ts';
import { Rest } from '../kit/rest.ts';
import { startService } from '../kit/service.ts';
import { issue } from '../kit/tokens.ts';
import '../kit/to_answer.ts';
import { accountId, common, fill } from '../search/large.ts';
import {
  findsBy,
  generallyPlanned,
  genericPlanOf,
  planBehind,
  planOf,
  planOfCandidates,
  readsInSequence,
  sortsAll,
} from '../search/plans.ts';

const parts = 'cont start end matches';
const plain = 'equality range sort';
const whole = `equality range ${parts} sort`;

/** What an index serves, by column. */
const served: Readonly<Partial<Record<ShapeName, Readonly<Record<string, string>>>>> = {
  contacts: {
    id: plain,
    full_name: whole,
    email: whole,
    phone: whole,
    created_at: plain,
    updated_at: plain,
    // A part of a label is looked for in the labels of one record after the other.
    label_list: 'equality',
  },
  deals: {
    id: plain,
    name: whole,
    // There are three, so no part of one is selective.
    status: plain,
    stage_id: plain,
    pipeline_id: plain,
    contact_id: plain,
    created_by_id: plain,
    // An order of the deals of one stage: for ranges and sorting see below.
    position: 'equality range',
    created_at: plain,
    updated_at: plain,
  },
  products: {
    id: plain,
    identifier: whole,
    name: whole,
    // Longer than a b-tree takes.
    description: parts,
    amount_in_cents: plain,
    quantity_available: plain,
    created_at: plain,
    updated_at: plain,
  },
  // Of an account's users, who are few, only what people type is worth an index.
  users: { id: plain, full_name: parts, email: parts, created_at: plain, updated_at: plain },
  deal_products: { id: plain, deal_id: plain, product_id: plain },
  events: { id: plain, deal_id: plain, contact_id: plain },
};

/** What reads the account's own rows, whatever is asked, and why: every index slows each write. */
const unserved: Readonly<Record<string, string>> = {
  'contacts app_type app_id': 'seldom searched',
  'contacts custom_attributes': 'has any number of keys',
  'deals custom_attributes': 'has any number of keys',
  'products custom_attributes': 'has any number of keys',
  'deals lost_reason lost_at won_at closed_at':
    'goes with a status or a stage, which have an index',
  'deals last_activity_at next_step_at has_next_step': "follows from each deal's activities",
  'deals total_deal_products_amount_in_cents': 'changes with every product that is attached',
  'users phone language job_description avatar_url role': 'an account has few users',
  'deal_products quantity unit_amount_in_cents total_amount_in_cents product_name product_identifier created_at updated_at':
    'goes with a deal or a product, which have an index',
  'events kind title scheduled_at done_at created_at updated_at':
    'goes with a contact or a deal, which have an index',
};

const unservedColumns = Object.keys(unserved).flatMap((key) => {
  const [shape, ...columns] = key.split(' ');
  return columns.map((column) => `${shape} ${column}`);
});

const isLarge = (shape: string): shape is ShapeName => shape in served;
const large = Object.keys(served).filter(isLarge);
const columns = large.flatMap((shape) =>
  shapes[shape].searchable.flatMap((column) => {
    const kind = kindOf(shapes[shape], column);
    return kind ? [{ shape, column, kind }] : [];
  }),
);

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
  await fill(database);
  await database.query(
    `INSERT INTO contacts (id, account_id, full_name)
     SELECT 20000 + place, $1, name FROM unnest($2::text[]) WITH ORDINALITY AS spelling(name, place)`,
    [accountId, spellings.map(([name]) => name)],
  );
}, 180_000);
afterAll(() => database.close());

interface Values {
  readonly rare: string;
  readonly low: string;
  readonly high: string;
}

/** Asked of columns that hold nothing here. */
const unseen: Readonly<Record<ColumnKind, string>> = {
  boolean: 'true',
  integer: '1',
  json: 'not to be seen',
  labels: 'not to be seen',
  text: 'not to be seen',
  timestamp: '2024-01-01T00:00:00Z',
};

/** The column that a searched one is found by, or SQL of what it follows from. */
function storedAs(shape: ShapeName, column: string): string {
  const { computed, derived, table } = shapes[shape];
  const sql = derived?.[column]?.value.replaceAll('$row', table);
  return sql?.replaceAll('$account', String(accountId)) ?? computed?.[column]?.order[0] ?? column;
}

/** A rare value of a column, and two in its midst that little lies between, all as texts. */
async function valuesOf(shape: ShapeName, kind: ColumnKind, of: string): Promise<Values> {
  const [values] = await database.query<{ [Name in keyof Values]: string | null }>(
    `WITH present AS (SELECT ${of} AS v FROM ${shapes[shape].table} WHERE account_id = ${accountId})
     SELECT to_jsonb((SELECT v FROM present GROUP BY v ORDER BY count(*), v LIMIT 1)) #>> '{}' AS rare,
       to_jsonb(percentile_disc(0.5) WITHIN GROUP (ORDER BY v)) #>> '{}' AS low,
       to_jsonb(percentile_disc(0.5005) WITHIN GROUP (ORDER BY v)) #>> '{}' AS high FROM present`,
  );
  const value = (name: keyof Values) => values?.[name] ?? unseen[kind];
  return { rare: value('rare'), low: value('low'), high: value('high') };
}

/** A selective search of each class that can be asked of a column. */
async function searches(shape: ShapeName, column: string, kind: ColumnKind) {
  const [key, of] =
    kind === 'json'
      ? [`${column}.city`, `${column} ->> 'city'`]
      : [column, kind === 'labels' ? `${column}[1]` : storedAs(shape, column)];
  const { rare, low, high } = await valuesOf(shape, kind, of);
  const text = {
    cont: { [`${key}_cont`]: rare.slice(2, 9) },
    start: { [`${key}_start`]: rare.slice(0, 10) },
    end: { [`${key}_end`]: rare.slice(-10) },
    matches: { [`${key}_matches`]: `%${rare.slice(1, 5)}_${rare.slice(6, 10)}%` },
  };
  return {
    equality: { [`${key}_eq`]: rare },
    ...(kind === 'labels' ? {} : { range: { [`${key}_gteq`]: low, [`${key}_lteq`]: high } }),
    ...(kind === 'text' || kind === 'json' || kind === 'labels' ? text : {}),
    ...(kind === 'json' || kind === 'labels' ? {} : { sort: { s: `${column} asc` } }),
  };
}

describe('an index serves', () => {
  test.each(columns)('$shape by $column', async ({ shape, column, kind }) => {
    const found: string[] = [];
    for (const [name, query] of Object.entries(await searches(shape, column, kind))) {
      const plan = await planOf(database, shape, accountId, query);
      const { table } = shapes[shape];
      const serves =
        name === 'sort'
          ? !sortsAll(plan)
          : findsBy(plan, storedAs(shape, column)) && !readsInSequence(plan, table);
      if (serves) found.push(name);
    }
    expect(found.join(' ')).toBe(served[shape]?.[column] ?? '');
  });

  const sorted = columns.filter(({ shape, column }) => served[shape]?.[column]?.includes('sort'));

  test.each(sorted.flatMap((of) => ['asc', 'desc'].map((direction) => ({ ...of, direction }))))(
    'a walk by $column $direction of $shape, from where it is',
    async (of) => {
      const { shape, column, kind, direction } = of;
      const { low } = await valuesOf(shape, kind, column);
      const value = kind === 'integer' ? Number(low) : low;
      const s = `${column} ${direction}`;
      const plan = await planBehind(database, shape, accountId, { s }, value);
      expect(readsInSequence(plan, shapes[shape].table)).toBe(false);
      expect(findsBy(plan, column)).toBe(true);
      // Ties in the one part, and what lies behind them in the other.
      const sorts = plan.filter((node) => node['Node Type'] === 'Sort');
      expect(sorts.every((node) => /id$/.test(String(node['Sort Key'])))).toBe(true);
    },
  );

  test.each([
    ['equality', { position_eq: 2 }],
    ['range', { position_gteq: 2, position_lt: 4 }],
    ['sort', { s: 'position desc' }],
  ])('deals of a stage by position: %s', async (name, query) => {
    const searched = { stage_id_eq: accountId * 1000 + 1, ...query };
    for (const plan of [
      await planOf(database, 'deals', accountId, searched),
      await genericPlanOf(database, 'deals', accountId, searched),
    ]) {
      expect(name === 'sort' ? !sortsAll(plan) : findsBy(plan, 'rank')).toBe(true);
      expect(readsInSequence(plan, 'deals')).toBe(false);
    }
  });

  test.each([
    ['last_activity_at', { last_activity_at_lt: '-P14D' }],
    ['next_step_at', { s: 'next_step_at' }],
    ['has_next_step', { has_next_step_false: true, stage_id_eq: accountId * 1000 + 1 }],
  ])('what follows from the activities of deals: %s', async (_, query) => {
    for (const plan of [
      await planOf(database, 'deals', accountId, query),
      await genericPlanOf(database, 'deals', accountId, query),
    ]) {
      expect(plan.flatMap((node) => node['Index Name'] ?? [])).toContain('events_activities_idx');
      expect(readsInSequence(plan, 'events')).toBe(false);
    }
  });

  test('or there may be a reason why not, of what is searchable', () => {
    const all = columns.map(({ shape, column }) => `${shape} ${column}`);
    const indexed = large.flatMap((shape) =>
      Object.keys(served[shape] ?? {}).map((column) => `${shape} ${column}`),
    );
    expect(all).toEqual(expect.arrayContaining([...indexed, ...unservedColumns]));
    expect(unservedColumns.filter((column) => indexed.includes(column))).toEqual([]);
  });
});

/** Names of contacts, and how a search asks for each. */
const spellings = [
  ['İbrahim Zorlu', 'ibrahim'],
  ['Kelvin Moor', 'kelvin'],
  ['ÉRICA ÇELIK', 'érica ç'],
] as const;

async function ownService() {
  const service = await startService({ database, env: { STATEMENT_TIMEOUT: '1s' } });
  const token = await issue(database, { id: 1, account_id: accountId });
  const rest = new Rest(service.client, accountId, token);
  return { service, rest, close: () => service.close() };
}

describe('the service', () => {
  const everything = [...large, 'pipelines', 'stages'];

  test('searches anything in one statement, and stops what takes too long', async () => {
    const { service, rest, close } = await ownService();
    try {
      await rest.get('/contacts/search');
      for (const path of everything) {
        service.statements.length = 0;
        expect(await rest.post(`/${path}/search`, { per_page: 100 })).toAnswer(200);
        expect([path, service.statements.length]).toEqual([path, 1]);
      }
      const terms = Array.from({ length: 1000 }, (_, n) => `none has ${n}`);
      const query = { g: Array(20).fill({ full_name_or_email_not_cont_all: terms }) };
      const answer = await rest.post('/contacts/search', { query });
      expect(answer).toAnswer(503);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      expect(await database.atWork()).toEqual([]);
    } finally {
      await close();
    }
  }, 20_000);
});

test.each(['z', 'qz', '_%', 'ß'])(
  'the part %j of a text has no trigram: no index of trigrams is read, whatever the plan',
  async (part) => {
    for (const key of ['full_name_cont', 'full_name_or_email_i_cont', 'email_not_cont']) {
      for (const explain of [planOf, genericPlanOf]) {
        const plan = await explain(database, 'contacts', accountId, { [key]: part });
        const read = plan.filter((node) => node['Index Cond']?.includes('~~'));
        expect([key, read]).toEqual([key, []]);
      }
    }
  },
);

const texts = columns.filter(({ shape, column }) => served[shape]?.[column]?.includes('cont'));

test.each([
  ...texts.map(({ shape, column }) => [shape, `${column}_cont`] as const),
  ['contacts', 'full_name_or_email_or_phone_cont'] as const,
])('no trigrams are read for a part that all texts hold: %s by %s', async (shape, key) => {
  const plan = await planOf(database, shape, accountId, { [key]: common });
  expect(plan.filter((node) => node['Index Cond']?.includes('~~'))).toEqual([]);
});

test.each([
  ['contacts', { full_name_or_email_or_phone_cont: 'rare' }],
  ['contacts', { full_name_or_phone_i_cont_any: ['rare', 'seldom'] }],
  ['deals', { contact_full_name_or_contact_email_cont: 'rare' }],
] as const)(
  'a part of any of several texts is looked for in the trigrams of them all at once: %s by %j',
  async (shape, query) => {
    const plan = await planOf(database, shape, accountId, query);
    const read = plan.filter((node) => node['Index Cond']?.includes('~~'));
    const indexes = new Set(read.map((node) => node['Index Name']));
    expect([...indexes]).toEqual(['contacts_folded_idx']);
  },
);

test.each([
  ['contacts', '王', ['contacts_han_kana_1_idx']],
  ['contacts', '小明 李', ['contacts_han_kana_1_idx']],
  ['contacts', 'さく seldom', ['contacts_han_kana_1_idx']],
  ['deals', '王', ['contacts_han_kana_1_idx', 'deals_han_kana_1_idx']],
] as const)(
  'words of Han and Kana are looked for by their letters, however few: %s by %s',
  async (shape, q, indexes) => {
    const plan = await planOf(database, shape, accountId, { q });
    const read = new Set(plan.flatMap((node) => node['Index Name'] ?? []));
    const ofTexts = [...read].filter((name) => /_folded|han_kana/.test(name));
    expect(ofTexts.sort()).toEqual(indexes);
  },
);

test.each([
  ['silva', 'salva'],
  ['петров', 'петрав'],
  ['すすき', 'すずき'],
  ['कमला', 'कमल'],
  ['김철수', '김철'],
])(
  'an index finds what has one of several words that are like one that was typed: %s, %s',
  async (...words) => {
    const plan = await planOfCandidates(database, 'contacts', accountId, words);
    const read = new Set(plan.flatMap((node) => node['Index Name'] ?? []));
    expect([...read].sort()).toEqual(['contacts_folded_idx', 'contacts_unfolded_1_idx']);
  },
);

test('trigrams find what ignores case the Unicode way, whatever the locale of the database', async () => {
  const { rest, close } = await ownService();
  try {
    const found: [string, number][] = [];
    for (const [name, term] of spellings) {
      const { body } = await rest.post<{ pagination: { count: number } }>('/contacts/search', {
        query: { full_name_cont: term },
      });
      found.push([name, body.pagination.count]);
      const plan = await planOf(database, 'contacts', accountId, { full_name_cont: term });
      expect([term, findsBy(plan, 'full_name')]).toEqual([term, true]);
    }
    expect(found).toEqual(spellings.map(([name]) => [name, 1]));
  } finally {
    await close();
  }
}, 20_000);

test('a part of a text is looked for by a plan of its own, however often one is asked for', async () => {
  const queries = ['%', '%', '%', '%', '%', '%', 'a%', 'ab%'];
  const patterns = queries.map((pattern) => ({ full_name_matches: pattern }));
  expect(await generallyPlanned(database, 'contacts', accountId, patterns)).toBe(0);
  const ids = queries.map((_, n) => ({ id_eq: n }));
  expect(await generallyPlanned(database, 'contacts', accountId, ids)).toBeGreaterThan(0);
});
