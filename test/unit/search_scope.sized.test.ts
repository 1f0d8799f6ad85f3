import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ShapeName, Shapes } from '../../src/db/sql/shape.ts';
import { name, type Sql, sql } from '../../src/db/sql/sql.ts';
import { Fault } from '../../src/errors/errors.ts';
import { shapes } from '../../src/resources/shapes.ts';
import { compileWhere } from '../../src/search/compile.ts';
import { compileOrder, orderBy } from '../../src/search/order.ts';
import { parseSearch } from '../../src/search/parse.ts';
import { predicates } from '../../src/search/predicates.ts';
import { searchStatement } from '../../src/search/statement.ts';
import { sample } from '../kit/sample.ts';
import { searchAll, searchPage } from '../search/run.ts';
import { openScratch, type Scratch } from '../search/scratch.ts';

/** In every text of the other account, and in none of ours. */
const marker = 'of-the-other-account';
const ours = 1;
const others = 2;
let scratch: Scratch;

beforeAll(async () => {
  scratch = await openScratch();
  for (const account of [ours, others]) await fill(account, account === ours ? 'our own' : marker);
});

afterAll(() => scratch.close());

/** One record of each kind and one without relations, under the same ids in both accounts. */
async function fill(account: number, text: string): Promise<void> {
  const insert = (statement: Sql) => scratch.db.query(statement);
  const attributes = JSON.stringify({ city: text });
  await insert(sql`INSERT INTO accounts (id, name) VALUES (${account}, ${text})`);
  await insert(
    sql`INSERT INTO users (account_id, id, email, full_name) VALUES (${account}, 1, ${`1@${account}`}, ${text}), (${account}, 2, ${`2@${account}`}, ${text})`,
  );
  await insert(
    sql`INSERT INTO contacts (account_id, id, full_name, app_type, label_list, custom_attributes) VALUES (${account}, 1, ${text}, ${text}, ${[text]}, ${attributes}), (${account}, 2, ${text}, NULL, ${[]}, '{}')`,
  );
  await insert(sql`INSERT INTO pipelines (account_id, id, name) VALUES (${account}, 1, ${text})`);
  await insert(
    sql`INSERT INTO stages (account_id, id, pipeline_id, name, position) VALUES (${account}, 1, 1, ${text}, 1)`,
  );
  await insert(
    sql`INSERT INTO products (account_id, id, name, quantity_available) VALUES (${account}, 1, ${text}, 1), (${account}, 2, ${text}, 0)`,
  );
  await insert(
    sql`INSERT INTO deals (account_id, id, contact_id, pipeline_id, stage_id, created_by_id, name, rank) VALUES (${account}, 1, 1, 1, 1, 1, ${text}, 1), (${account}, 2, 1, 1, 1, NULL, ${text}, 2)`,
  );
  await insert(
    sql`INSERT INTO deal_assignees (account_id, id, deal_id, user_id) VALUES (${account}, 1, 1, 1)`,
  );
  await insert(
    sql`INSERT INTO deal_products (account_id, id, deal_id, product_id, product_name) VALUES (${account}, 1, 1, 1, ${text})`,
  );
  await insert(
    sql`INSERT INTO events (account_id, id, contact_id, kind, title) VALUES (${account}, 1, 1, 'note', ${text})`,
  );
}

/** Searches, or undefined when the query is refused: anything else that is thrown fails the test. */
async function search(shape: ShapeName, query: unknown) {
  try {
    const asked = { shape, query, accountId: ours };
    return await searchPage(scratch.db, asked, 1, 100, () => sql`row_to_json(r)::text`);
  } catch (error) {
    if (error instanceof Fault && error.code === 'INVALID_SEARCH') return undefined;
    throw error;
  }
}

const payloads = [
  "'",
  '"',
  "''",
  '\\',
  '\\\\',
  "\\'",
  '%',
  '_',
  '%%',
  '$1',
  '$2::text',
  '?',
  ':id',
  ';',
  '--',
  '/*',
  '*/',
  "' OR '1'='1",
  "') OR (1=1",
  '1 OR 1=1',
  "'; DROP TABLE deals; --",
  '") OR "r"."account_id" = 2 --',
  "' UNION SELECT * FROM contacts --",
  'account_id',
  'r.account_id',
  '{',
  '{}',
  '{a,b}',
  'NULL',
  'null',
  '\0',
  '\ud800',
  '\udc00x',
  '\u202e',
  '😀',
  '__proto__',
  'constructor',
  marker,
  `%${marker}%`,
  'x'.repeat(70_000),
];

const resources: readonly ShapeName[] = [
  'contacts',
  'deals',
  'products',
  'users',
  'stages',
  'pipelines',
  'deal_products',
  'events',
];

async function neverShowsTheOthers(shape: ShapeName, query: unknown): Promise<void> {
  const found = await search(shape, query);
  const text = JSON.stringify(found?.data ?? []);
  expect({ query, leaks: text.includes(marker) }).toEqual({ query, leaks: false });
  expect({ query, count: found?.count ?? 0 }).toEqual({ query, count: found?.data.length ?? 0 });
}

describe('a hostile text', () => {
  test.each(payloads.map((payload, at) => [payload, at] as const))(
    '%j as a value is refused or compared, whatever the predicate',
    async (payload, at) => {
      for (const { name, takes } of sample(predicates, 8, at)) {
        const value = takes === 'list' ? [payload, payload] : payload;
        const key = `full_name_or_app_type_${name}`;
        await neverShowsTheOthers('contacts', { m: 'or', [key]: value, id_eq: -1 });
        await neverShowsTheOthers('contacts', {
          m: 'or',
          [`custom_attributes.city_${name}`]: value,
        });
        await neverShowsTheOthers('contacts', {
          g: [{ m: 'or', c: [{ a: ['label_list'], p: name, v: [payload] }] }],
        });
        await neverShowsTheOthers('contacts', { m: 'or', [`deals_products_name_${name}`]: value });
      }
      for (const key of [
        'id_eq',
        'id_in',
        'created_at_lt',
        'app_id_not_eq_any',
        'deals_position_gteq',
      ]) {
        await neverShowsTheOthers('contacts', { m: 'or', [key]: payload });
      }
    },
    60_000,
  );

  test.each(payloads)(
    '%j is refused or harmless wherever a name can stand',
    async (payload) => {
      const queries = [
        { [payload]: 'x' },
        { [`${payload}_eq`]: 'x' },
        { [`full_name_${payload}`]: 'x' },
        { [`full_name_or_${payload}_eq`]: 'x' },
        { [`deals_${payload}_eq`]: 'x' },
        { [`custom_attributes.${payload}_eq`]: marker },
        { [`custom_attributes.${payload}_null`]: true },
        { m: payload, id_eq: 1 },
        { g: payload },
        { g: [{ [payload]: payload }] },
        { g: { [payload]: { id_eq: 1 } } },
        { c: payload },
        { c: [{ a: [payload], p: 'eq', v: ['x'] }] },
        { c: [{ a: ['full_name'], p: payload, v: ['x'] }] },
        { c: [{ a: ['full_name'], p: 'eq', v: ['x'], m: payload }] },
        { c: [{ a: ['full_name'], p: 'eq', v: ['x'], [payload]: 1 }] },
        { s: payload },
        { s: `id ${payload}` },
        { s: `${payload} desc` },
        { sorts: [payload, payload] },
      ];
      for (const query of queries) await neverShowsTheOthers('contacts', query);
    },
    60_000,
  );

  test('never stands in the text of a statement', () => {
    const text = 'Xq7;--';
    const query = {
      full_name_cont: text,
      full_name_in: [text],
      [`custom_attributes.${text}_eq`]: text,
      deals_name_not_eq: text,
      label_list_start: text,
      s: 'full_name',
    };
    const parsed = parseSearch(query, 'contacts', shapes);
    const request = {
      shape: 'contacts',
      shapes,
      accountId: ours,
      search: parsed,
      page: 1,
      perPage: 10,
    } as const;
    const statement = searchStatement({ ...request, record: () => sql`'{}'` });
    expect(statement.text).not.toContain('Xq7');
    expect(statement.values.flat().filter((value) => String(value).includes('Xq7'))).toHaveLength(
      6,
    );
  });
});

describe('the scope of an account', () => {
  /** Everything that is true of anything, in every way to widen a condition. */
  const widening: readonly object[] = [
    {},
    { m: 'or', id_gt: 0 },
    { m: 'or', id_not_null: true, id_null: true },
    { m: 'or', id_eq: -1, g: [{ m: 'or', id_gt: 0, id_lt: 0 }] },
    { m: 'or', g: [{ id_gteq: 0 }, { id_lt: 0 }] },
    { g: [{ m: 'or', g: [{ m: 'or', g: [{ m: 'or', id_not_eq: -1, id_eq: -1 }] }] }] },
    { m: 'or', c: [{ a: ['id', 'created_at'], p: 'not_null', v: [true], m: 'or' }], id_eq: 0 },
    { m: 'or', id_not_eq_any: [1, 2, 3], created_at_not_null: true },
    { m: 'or', id_not_in: [0], id_in: [1, 2] },
  ];

  test.each(resources)('of %s holds against every m, g and c', async (shape) => {
    for (const query of widening) {
      const found = await search(shape, query);
      expect(JSON.stringify(found?.data)).not.toContain(marker);
      const [own] = await scratch.db.query<{ count: number }>(
        sql`SELECT count(*) AS count FROM ${name(shapes[shape].table)} WHERE account_id = ${ours}`,
      );
      expect({ query, count: found?.count }).toEqual({ query, count: own?.count });
    }
  });

  test('holds along every path: nothing of the other account is found by, or sorted by', async () => {
    const paths: readonly [ShapeName, string][] = [
      ['contacts', 'deals_name'],
      ['contacts', 'deals_contact_full_name'],
      ['contacts', 'deals_products_name'],
      ['contacts', 'deals_users_full_name'],
      ['deals', 'contact_full_name'],
      ['deals', 'stage_name'],
      ['deals', 'stage_pipeline_name'],
      ['deals', 'pipeline_name'],
      ['deals', 'creator_full_name'],
      ['deals', 'deal_products_product_name'],
      ['deals', 'products_name'],
      ['deals', 'users_full_name'],
      ['products', 'deals_name'],
      ['products', 'deal_products_product_name'],
      ['users', 'deals_name'],
      ['stages', 'pipeline_name'],
      ['deal_products', 'deal_name'],
      ['deal_products', 'product_description'],
      ['events', 'deal_name'],
      ['events', 'contact_full_name'],
      ['products', 'deals_contact_full_name'],
    ];
    for (const [shape, path] of paths) {
      const every = (await search(shape, {}))?.count;
      for (const query of [
        { [`${path}_eq`]: marker },
        { m: 'or', [`${path}_eq`]: marker, id_eq: -1 },
        { [`${path}_cont_any`]: [marker, 'other'] },
        { g: [{ m: 'or', [`${path}_eq`]: marker, [`${path}_end`]: marker }] },
        {
          m: 'or',
          [`${path}_eq`]: marker,
          g: [{ [`${path}_null`]: true, [`${path}_start`]: marker }],
        },
      ]) {
        expect({ shape, query, count: (await search(shape, query))?.count }).toEqual({
          shape,
          query,
          count: 0,
        });
      }
      // Denied of ours alone: the other account's children do not count as ours.
      const denied = await search(shape, {
        m: 'or',
        [`${path}_not_eq`]: marker,
        [`${path}_null`]: true,
      });
      expect({ shape, path, count: denied?.count }).toEqual({ shape, path, count: every });
    }
  });

  test('is a parameter of every subquery, beside the account of the row that it belongs to', () => {
    const query = {
      deals_products_name_cont: 'x',
      deals_stage_pipeline_name_eq: 'x',
      deals_users_phone_not_cont: 'x',
      g: [{ m: 'or', deals_contact_email_null: true, deals_name_eq: 'x' }],
    };
    const parsed = parseSearch(query, 'contacts', shapes);
    const where = compileWhere(parsed, 'r', shapes, 987_654);
    const tables = where.text.match(/(FROM|JOIN) \(?"/g) ?? [];
    expect(tables.length).toBeGreaterThan(8);
    expect(where.values.filter((value) => value === 987_654)).toHaveLength(tables.length);
    expect(where.text.match(/"account_id" = \$\d+/g)).toHaveLength(tables.length);
  });
});

describe('a search', () => {
  test('finds nothing on a page beyond every number, and still counts', async () => {
    const asked = { shape: 'contacts', query: {}, accountId: ours } as const;
    expect(await searchPage(scratch.db, asked, Number.MAX_SAFE_INTEGER, 100)).toEqual({
      count: 2,
      data: [],
    });
    const costly = { ...asked, query: { full_name_cont: 'our' } };
    expect(await searchPage(scratch.db, costly, Number.MAX_SAFE_INTEGER, 100)).toEqual({
      count: 2,
      data: [],
    });
  });

  test('ends every order with the id', async () => {
    const tied = { shape: 'contacts', query: { s: 'full_name desc' }, accountId: ours } as const;
    expect((await searchAll(scratch.db, tied)).ids).toEqual([1, 2]);
    const { keys } = compileOrder(
      parseSearch({ s: ['email', 'id desc', 'phone'] }, 'contacts', shapes),
      'r',
      shapes,
      ours,
    );
    expect(orderBy(keys).text).toBe('"r"."email" COLLATE "C" ASC, "r"."id" DESC');
  });

  test('does not take a record that is missing for one without labels', async () => {
    const optional: Shapes = {
      ...shapes,
      products: {
        ...shapes.products,
        associations: {
          fan: { to: 'contacts', many: false, on: { id: 'quantity_available' }, searchable: true },
        },
      },
    };
    const find = async (query: object) =>
      (await searchAll(scratch.db, { shape: 'products', query, accountId: ours, shapes: optional }))
        .ids;
    expect(await find({ fan_label_list_not_eq: 'x' })).toEqual([1]);
    // Here the missing record takes part, because another condition is true of it.
    expect(
      await find({ fan_id_null: true, g: [{ m: 'or', fan_label_list_not_eq: 'x', id_eq: 1 }] }),
    ).toEqual([]);
    expect(
      await find({ fan_id_null: true, g: [{ m: 'or', fan_label_list_not_eq: 'x', id_eq: 2 }] }),
    ).toEqual([2]);
  });
});
