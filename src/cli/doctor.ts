import { Command } from 'commander';
import { type Config, readConfig } from '../config.ts';
import { locateDatabase } from '../db/connect.ts';
import { openDatabase } from '../db/database.ts';
import { migrationStatus } from '../db/migrate.ts';
import { sql } from '../db/sql.ts';
import { findRunning, isCreated } from '../postgres/embedded.ts';
import { print } from './command.ts';

const hidden = '[hidden]';

export const doctorCommand = new Command('doctor')
  .description('prints the effective configuration and the state of the database')
  .action(async () => {
    const config = readConfig(process.env);
    print({
      node: process.version,
      platform: `${process.platform} ${process.arch}`,
      configuration: withoutSecrets(config),
      database: await examine(config),
    });
  });

function withoutSecrets(config: Config): object {
  const { database, jwtSecret, ...rest } = config;
  return {
    ...rest,
    jwtSecret: jwtSecret === undefined ? null : hidden,
    database:
      database.kind === 'url' ? { ...database, url: withoutPassword(database.url) } : database,
  };
}

/** A URL may carry its password in two places. */
function withoutPassword(url: string): string {
  const shown = new URL(url);
  if (shown.password !== '') shown.password = 'hidden';
  if (shown.searchParams.has('password')) shown.searchParams.set('password', 'hidden');
  return shown.href;
}

async function examine(config: Config): Promise<object> {
  const dataDir = config.database.kind === 'embedded' ? config.database.dataDir : undefined;
  if (dataDir !== undefined && !(await isCreated(dataDir))) return { exists: false };
  const running = dataDir === undefined ? undefined : (await findRunning(dataDir)) !== undefined;
  const { url, stop } = await locateDatabase(config);
  try {
    const database = await openDatabase({ url, poolSize: 1 });
    try {
      const [server] = await database.query<{ version: string; encoding: string }>(
        sql`SELECT current_setting('server_version') AS version,
              current_setting('server_encoding') AS encoding`,
      );
      const [index] = await database.query<{ name: string | null }>(
        sql`SELECT to_regclass('contacts_trigram_idx')::text AS name`,
      );
      return {
        ...(running === undefined ? {} : { ran_already: running }),
        ...server,
        migrations: await migrationStatus(url),
        text_search: index?.name
          ? 'indexed'
          : 'without indexes: pg_trgm and btree_gin are missing, so a text search reads all rows of the account',
      };
    } finally {
      await database.close();
    }
  } finally {
    await stop();
  }
}
