import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ShapeName } from '../../src/db/sql/shape.ts';
import { join, name, sql } from '../../src/db/sql/sql.ts';
import { sample } from '../kit/sample.ts';
import { refusal, searchAll } from '../search/run.ts';
import { openScratch, type Scratch } from '../search/scratch.ts';

interface Case {
  readonly n: number;
  readonly model: 'Contact' | 'Deal' | 'Product' | 'User';
  readonly query: unknown;
  readonly expect: {
    readonly ids?: readonly number[];
    readonly ranks?: readonly (readonly number[])[];
    readonly status?: number;
    readonly key?: string;
  };
}

const shapeOf: Readonly<Record<Case['model'], ShapeName>> = {
  Contact: 'contacts',
  Deal: 'deals',
  Product: 'products',
  User: 'users',
};

const lines = (file: string) =>
  readFileSync(new URL(`./search/${file}`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

const cases: readonly Case[] = lines('cases.jsonl');
let scratch: Scratch;

beforeAll(async () => {
  scratch = await openScratch();
  const { db } = scratch;
  await db.query(sql`INSERT INTO accounts (id, name) VALUES (1, 'recorded')`);
  const found = await db.query<{ table_name: string; column_name: string }>(
    sql`SELECT table_name::text, column_name::text FROM information_schema.columns WHERE table_schema = 'public'`,
  );
  const columns = new Set(found.map((row) => `${row.table_name}.${row.column_name}`));
  const rows: readonly { table: string; row: Record<string, unknown> }[] = lines('rows.jsonl');
  for (const { table, row } of rows) {
    const cells = Object.entries(row)
      .map(
        ([column, cell]) =>
          [table === 'deals' && column === 'position' ? 'rank' : column, cell] as const,
      )
      .filter(([column]) => columns.has(`${table}.${column}`));
    const values = cells.map(([, cell]) =>
      typeof cell === 'object' && cell !== null ? JSON.stringify(cell) : cell,
    );
    await db.query(
      sql`INSERT INTO ${name(table)} (${join(cells.map(([column]) => name(column)))}) VALUES (${join(values)})`,
    );
  }
}, 120_000);

afterAll(() => scratch.close());

const numerically = (one: number, other: number) => one - other;

/** Where the library compared code points, and we compare texts in their composed form. */
const composed: Readonly<Record<number, readonly number[]>> = {
  // A Kelvin sign is a K.
  836: [75, 76, 185, 279],
  // An u and a diaeresis are an ü.
  845: [45, 46, 47, 159, 219, 283],
};

describe('the recorded answers', () => {
  test('are all here', () => {
    expect(cases.length).toBe(872);
  });

  test.each(sample(cases, 4))(
    '$n: $model $query',
    async ({ n, model, query, expect: expected }) => {
      const shape = shapeOf[model];
      if (expected.status !== undefined) {
        expect(Object.keys(refusal(shape, query) ?? {})).toContain(expected.key);
        return;
      }
      const { ids, counts } = await searchAll(scratch.db, { shape, query, accountId: 1 });
      const wanted = composed[n] ?? expected.ids;
      expect([...ids].sort(numerically)).toEqual(wanted);
      expect(new Set(counts)).toEqual(new Set([wanted?.length]));
      let from = 0;
      for (const rank of expected.ranks ?? []) {
        const tied = ids.slice(from, from + rank.length);
        expect([...tied].sort(numerically)).toEqual([...rank].sort(numerically));
        from += rank.length;
      }
    },
  );
});
