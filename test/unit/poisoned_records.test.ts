/** Records with JSON that PostgreSQL can store and not read, and how the migrations mend them. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { oneOfEach } from '../kit/one_of_each.ts';
import { type Service, startService } from '../kit/service.ts';
import { type World, world } from '../kit/world.ts';

let service: Service;
let w: World;
let ids: Readonly<Record<string, number>>;
beforeAll(async () => {
  service = await startService();
  w = await world(service);
  ids = await oneOfEach(w);
});
afterAll(() => service.close());

const columns = [
  ['contacts', 'custom_attributes'],
  ['contacts', 'additional_attributes'],
  ['deals', 'custom_attributes'],
  ['products', 'custom_attributes'],
  ['products', 'additional_attributes'],
  ['events', 'custom_attributes'],
  ['events', 'additional_attributes'],
] as const;

const write = (table: string, column: string, text: string) =>
  service.database.query(`UPDATE ${table} SET ${column} = $1 WHERE id = $2`, [text, ids[table]]);

test.each(columns)('%s.%s takes no text that PostgreSQL cannot read', async (table, column) => {
  for (const poison of [
    String.raw`{"a":"\ud800"}`,
    String.raw`{"a":["\u0000"]}`,
    String.raw`{"\udc00":1}`,
  ]) {
    await expect(write(table, column, poison)).rejects.toThrow();
  }
  await write(table, column, String.raw`{"a":"\ud83d\ude00","n":1e999999}`);
});

test('records that were poisoned before are mended when the service is migrated', async () => {
  const poisoned = String.raw`{ "b":"\ud800\u0000","\uDC00":["\ud83d\ude00\\ud800\\\u0000\ud83d\ud83d\uDE00x"],"b":1.0}`;
  const mended = String.raw`{ "b":"\ufffd\ufffd","\ufffd":["\ud83d\ude00\\ud800\\\ufffd\ufffd\ud83d\uDE00x"],"b":1.0}`;
  const innocent = String.raw`{"a":"\ud83d\ude00", "b":"\\u0000"}`;
  const { id } = await w.product({ custom_attributes: {} });
  await service.database.query('UPDATE products SET custom_attributes = $1 WHERE id = $2', [
    innocent,
    id,
  ]);
  for (const [table, column] of columns) {
    await service.database.query(`ALTER TABLE ${table} DROP CONSTRAINT ${table}_${column}_check`);
    await write(table, column, poisoned);
  }
  const migration = new URL(
    '../../prisma/migrations/20261123000000_storable_json/migration.sql',
    import.meta.url,
  );
  await service.database.query(await readFile(migration, 'utf8'));
  for (const [table, column] of columns) {
    const query = `SELECT ${column}::text AS text FROM ${table} WHERE id = $1`;
    expect(await service.database.query(query, [ids[table]])).toEqual([{ text: mended }]);
    await expect(write(table, column, poisoned)).rejects.toThrow();
  }
  expect(
    await service.database.query('SELECT custom_attributes::text FROM products WHERE id = $1', [
      id,
    ]),
  ).toEqual([{ custom_attributes: innocent }]);
  for (const resource of ['contacts', 'deals', 'products'] as const) {
    const query = { 'custom_attributes.b_eq': '1.0' };
    const found = await w.rest.post(`/${resource}/search`, { query });
    expect(found).toAnswer(
      200,
      expect.objectContaining({ data: [expect.objectContaining({ id: ids[resource] })] }),
    );
  }
});
