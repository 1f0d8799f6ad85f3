/** The demo account, which is large to load and therefore made outside of the sandboxes of test files. */
import type * as keys from '../../src/auth/keys.ts';
import type * as open from '../../src/db/open.ts';
import type * as seeding from '../../src/demo/seed.ts';
import { secret } from './app_under_test.ts';
import { shipped } from './shipped.ts';
import { createDatabase, type TestDatabase } from './test_database.ts';

/** A database with the demo account. */
export interface Demo {
  readonly database: TestDatabase;
  readonly accountId: number;
  /** Its admin's. */
  readonly token: string;
}

/** @param firstId where the ids of each table begin, if not where they do in every test */
export async function demo(firstId?: number): Promise<Demo> {
  const [{ keysOf }, { openDatabase }, { seed }] = await Promise.all([
    shipped<typeof keys>('auth/keys.js'),
    shipped<typeof open>('db/open.js'),
    shipped<typeof seeding>('demo/seed.js'),
  ]);
  const database = await createDatabase();
  if (firstId !== undefined) {
    await database.query(
      `SELECT setval(oid::regclass, ${firstId}, false) FROM pg_class WHERE relkind = 'S' AND relnamespace = 'public'::regnamespace`,
    );
  }
  const opened = await openDatabase({ url: database.url });
  const options = { keys: keysOf([secret]), tokenTtl: null, now: new Date() };
  const { token, account_id: accountId } = await seed(opened, options);
  await opened.close();
  return { database, accountId, token };
}
