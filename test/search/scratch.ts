import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { raw } from '../../src/db/sql.ts';

/** A migrated database without any account, of a test file's own. */
export interface Scratch {
  readonly db: Database;
  close(): Promise<void>;
}

export async function openScratch(): Promise<Scratch> {
  const url = new URL(process.env['CRM_TEST_DATABASE'] ?? '');
  const template = process.env['CRM_TEST_TEMPLATE'] ?? '';
  const name = `search_${randomBytes(6).toString('hex')}`;
  const admin = new pg.Client({ connectionString: url.href });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  url.pathname = `/${name}`;
  const db = await openDatabase({ url: url.href });
  await db.query(raw(`CREATE COLLATION IF NOT EXISTS "unicode_case" (provider = builtin, locale = 'C.UTF-8')`));
  return {
    db,
    close: async () => {
      await db.close();
      await admin.query(`DROP DATABASE ${name}`);
      await admin.end();
    },
  };
}
