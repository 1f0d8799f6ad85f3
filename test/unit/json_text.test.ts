import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { buildSchema, isObjectType } from 'graphql';
import { jsonObject, nullableJson } from '../../src/db/sql/json_text.ts';
import { raw, sql } from '../../src/db/sql/sql.ts';
import { timestampJson } from '../../src/db/sql/timestamp.ts';
import { limits } from '../../src/graphql/guard/limits.ts';
import { shapes } from '../../src/resources/shapes.ts';
import { openScratch, type Scratch } from '../search/scratch.ts';

let scratch: Scratch;
beforeAll(async () => {
  scratch = await openScratch();
});
afterAll(() => scratch.close());

async function written(members: Parameters<typeof jsonObject>[0]): Promise<string | undefined> {
  const [row] = await scratch.db.query<{ text: string }>(
    sql`SELECT ${jsonObject(members)} AS text`,
  );
  return row?.text;
}

test('an object has its members in order, whatever is in their names and values', async () => {
  const [named, value] = [`%s "it's" %1$s \\n`, '%s "\\\n'];
  const members = [
    { as: named, json: nullableJson(sql`${value}::text`) },
    { as: 'none', json: nullableJson(raw('NULL::bigint')) },
    { as: 'list', json: raw(`'1,2'`), form: '[%s]' },
  ] as const;
  expect(await written(members)).toBe(
    `{${JSON.stringify(named)}:${JSON.stringify(value)},"none":null,"list":[1,2]}`,
  );
});

test('a timestamp that no calendar has is null', async () => {
  const json = timestampJson(raw(`'infinity'::timestamptz`));
  expect(await written([{ as: 'at', json }])).toBe('{"at":null}');
});

/** As many members as an object can have. */
const max = 99;

test('an object may have no members, or a hundred but one', async () => {
  const members = Array.from({ length: max }, (_, n) => ({ as: `n${n}`, json: raw(String(n)) }));
  expect(await written([])).toBe('{}');
  const expected = Object.fromEntries(members.map(({ as }, n) => [as, n]));
  expect(await written(members)).toBe(JSON.stringify(expected));
});

test('no document asks for more members of a record than an object can have', () => {
  const schema = buildSchema(
    readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8'),
  );
  const members = Object.values(shapes).map(({ type }) => {
    const found = schema.getType(type);
    // All fields, `__typename`, and any of them under other names.
    return isObjectType(found) ? Object.keys(found.getFields()).length + 1 + limits.aliases : 0;
  });
  expect(Math.max(...members)).toBeLessThanOrEqual(max);
});
