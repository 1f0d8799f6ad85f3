import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { kindOf, type ShapeName } from '../../src/db/sql/shape.ts';
import { shapes } from '../../src/resources/shapes.ts';
import { predicates } from '../../src/search/predicates.ts';
import { isLong } from '../kit/sample.ts';
import { find } from '../search/evaluator.ts';
import { asked, columns, searches, ways, written } from '../search/queries.ts';
import { searchAll, walkAll } from '../search/run.ts';
import { openScratch, type Scratch } from '../search/scratch.ts';
import { load, type World, worlds } from '../search/world.ts';

const numRuns = Number(process.env['SEARCH_RUNS'] ?? (isLong ? 400 : 60));
const seed = Number(process.env['SEARCH_SEED'] ?? Date.now() % 2 ** 31);
/** Each world is an account of one database, so that the others' records lie beside it. */
const accounts = Math.max(20, Math.ceil(numRuns / 50));

let scratch: Scratch;
let made: readonly World[];

beforeAll(async () => {
  scratch = await openScratch();
  made = fc.sample(worlds, { numRuns: accounts, seed });
  for (const [at, world] of made.entries()) await load(scratch.db, at + 1, world);
}, 600_000);

afterAll(() => scratch.close());

describe('searches made by chance', () => {
  test.each(Object.entries(columns))('ask all that may be searched of %s', (name, known) => {
    const shape = shapes[name as ShapeName];
    const kinds = shape.searchable.map((column) => [column, kindOf(shape, column)] as const);
    // Keys of free-form objects are asked apart, and no two accounts may have the e-mail of a user.
    const others = kinds.filter(
      ([column, kind]) => kind !== 'json' && !(name === 'users' && column === 'email'),
    );
    expect(known).toEqual(Object.fromEntries(others));
    const row = made.flatMap((world) => world[name as keyof World])[0];
    expect(Object.keys(row ?? {})).toEqual(expect.arrayContaining(Object.keys(known)));
    const followed = Object.entries(shape.associations).filter(([, way]) => way.searchable);
    expect(ways[name] ?? {}).toEqual(
      Object.fromEntries(followed.map(([way, { to, many }]) => [way, { to, many }])),
    );
  });

  test.each(['boolean', 'integer', 'text', 'timestamp', 'labels'] as const)(
    'of kind %s by all predicates',
    (kind) => {
      const known = predicates.filter(({ on }) => on.includes(kind)).map(({ name }) => name);
      expect([...asked(kind)].sort()).toEqual(known.sort());
    },
  );
});

describe('a search', () => {
  test(`finds what the rules say, in order and counted, by pages and from place to place (${numRuns} runs, SEARCH_SEED=${seed})`, async () => {
    let some = 0;
    const world = fc.integer({ min: 0, max: accounts - 1 });
    const pageSize = fc.constantFrom(1, 2, 100);
    await fc.assert(
      fc.asyncProperty(world, searches, pageSize, async (at, search, perPage) => {
        const here = made[at];
        if (!here) throw new Error(`There is no world ${at}`);
        const query = written(search);
        const expected = find(here, search);
        const asked = { shape: search.table, query, accountId: at + 1, perPage };
        const { ids, counts } = await searchAll(scratch.db, asked);
        expect({ query, ids, counts: [...new Set(counts)] }).toEqual({
          query,
          ids: expected,
          counts: [expected.length],
        });
        expect({ query, walked: await walkAll(scratch.db, asked) }).toEqual({
          query,
          walked: expected,
        });
        if (expected.length > 0 && expected.length < here[search.table].length) some++;
      }),
      { numRuns, seed },
    );
    // Searches that find all or nothing would agree by chance.
    expect(some).toBeGreaterThan(numRuns / 20);
  }, 3_600_000);
});
