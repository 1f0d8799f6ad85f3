/** Several servers in one URL, of which another becomes the primary. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { primaryUrl } from '../../src/db/connections/servers.ts';
import type { Database } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/open.ts';
import { sql } from '../../src/db/sql/sql.ts';
import { createDatabase, type TestDatabase } from '../kit/database.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../kit/database_proxy.ts';
import { type Standby, startStandby } from '../kit/standby.ts';

let file: TestDatabase;
let primary: DatabaseProxy;
let standby: Standby;
let database: Database;

/** The database by way of these servers, of which one is always down. */
function through(...hosts: readonly string[]): string {
  const { username, password, pathname } = new URL(file.url);
  return `postgresql://${username}:${password}@127.0.0.1:1,${hosts.join(',')}${pathname}`;
}
const host = (url: string) => new URL(url).host;

beforeAll(async () => {
  file = await createDatabase();
  await file.query('CREATE TABLE notes (id bigint PRIMARY KEY)');
});
beforeEach(async () => {
  primary = await startDatabaseProxy(file.url);
  standby = await startStandby(file.url);
  database = await openDatabase({ url: through(standby.host, host(primary.url)), poolSize: 3 });
});
afterEach(async () => {
  await database.close();
  await primary.close();
  await standby.close();
});
afterAll(() => file.close());

const write = (id: number) => database.query(sql`INSERT INTO notes VALUES (${id}) RETURNING id`);
const unavailable = { code: 'UNAVAILABLE' };

test('statements go to the server that takes writes, and migrations too', async () => {
  expect(await write(1)).toEqual([{ id: 1 }]);
  expect(host(await primaryUrl(through(standby.host, host(primary.url))))).toBe(host(primary.url));
});

test('when the primary is gone they go to the one that was promoted', async () => {
  await write(2);
  primary.cut();
  standby.promote();
  // It may have been on its way to the old one.
  await write(30).catch((error) => expect(error).toMatchObject(unavailable));
  expect(await write(3)).toEqual([{ id: 3 }]);
});

test('a statement waits for an election that takes a moment', async () => {
  primary.cut();
  const writing = write(4);
  await standby.asked;
  standby.promote();
  expect(await writing).toEqual([{ id: 4 }]);
});

test('statements on a primary that fell silent fail as soon as there is another', async () => {
  const begun = Date.now();
  await Promise.all([write(5), write(6)]);
  primary.freeze();
  const silent = [write(7), write(8)].map((writing) =>
    expect(writing).rejects.toMatchObject(unavailable),
  );
  standby.promote();
  // The third needs a connection of its own, and finds where the primary is now.
  expect(await write(9)).toEqual([{ id: 9 }]);
  await Promise.all(silent);
  // Otherwise they would have been given up when any statement is, seven seconds after.
  expect(Date.now() - begun).toBeLessThan(5000);
});

test('none that takes writes is UNAVAILABLE, and tells what each server said', async () => {
  primary.cut();
  await expect(write(10)).rejects.toMatchObject({
    ...unavailable,
    cause: {
      message: expect.stringMatching(
        /^No server takes writes \(127\.0\.0\.1:1: connect ECONNREFUSED.*is read-only/,
      ),
    },
  });
});
