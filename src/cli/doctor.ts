import { randomUUID } from 'node:crypto';
import { Command, InvalidArgumentError, Option } from 'commander';
import { keysOf } from '../auth/keys.ts';
import { secretsOf } from '../auth/secret.ts';
import { differenceOf, knownSecrets } from '../auth/signing_secrets.ts';
import { type Config, readConfig } from '../config/config.ts';
import { withoutPassword } from '../config/database_url.ts';
import { operating } from '../context/context.ts';
import { locateDatabase } from '../db/connections/connect.ts';
import { countConnections } from '../db/connections/connections.ts';
import type { Database } from '../db/database.ts';
import { classify } from '../db/errors.ts';
import { migrationStatus } from '../db/migrations/migrate.ts';
import { openDatabase } from '../db/open.ts';
import { sql } from '../db/sql/sql.ts';
import { exists, findRunning } from '../postgres/embedded.ts';
import { describe } from '../process/failure.ts';
import { reviewAccount } from '../resources/repair/repair.ts';
import type { Review, UndoCounts } from '../resources/repair/review.ts';
import { undoRepair } from '../resources/repair/undo.ts';
import { print } from './command.ts';
import { example } from './help.ts';

const hidden = '[hidden]';

/** What request ids of repairs begin with. */
const repairs = 'repair-';

/** What is to be done about records of former versions. */
interface RepairRequest {
  readonly repair?: boolean;
  /** The request id of a repair. */
  readonly undo?: string;
}

interface Findings extends Readonly<Record<string, unknown>> {
  /** Whether the service can work with this database as it is. */
  readonly healthy: boolean;
}

export const doctorCommand = new Command('doctor')
  .description(
    'prints the effective configuration and the state of the database; exits with 1 when it is unreachable, not migrated, allows too few connections or was signed with different secrets',
  )
  .option(
    '--repair',
    'stores phones and texts of former versions in the current form; you can undo these changes',
  )
  .addOption(
    new Option(
      '--undo <request_id>',
      'puts back what a repair changed, as far as it was not changed since',
    )
      .argParser(readRepairId)
      .conflicts('repair'),
  )
  .addHelpText('after', example('doctor --repair'))
  .action(async (wish: RepairRequest) => {
    const config = readConfig(process.env);
    const { healthy, ...database } = await examine(config, wish).catch(unreachable);
    print({
      healthy,
      node: process.version,
      platform: `${process.platform} ${process.arch}`,
      configuration: withoutSecrets(config),
      database,
    });
    if (!healthy) process.exitCode = 1;
  });

/** Requests of clients are taken back by `revert_changes`. */
function readRepairId(id: string): string {
  if (!id.startsWith(repairs)) throw new InvalidArgumentError('It is not that of a repair.');
  return id;
}

const unreachable = (error: unknown): Findings => ({
  healthy: false,
  reachable: false,
  error: describe(classify(error)),
});

function withoutSecrets(config: Config): object {
  const { database, jwtSecret, jwtSecretsPrevious, tracing, ...rest } = config;
  return {
    ...rest,
    ...(tracing && { tracing: { ...tracing, headers: hidden } }),
    jwtSecret: jwtSecret === undefined ? null : hidden,
    jwtSecretsPrevious: jwtSecretsPrevious.map(() => hidden),
    database: Object.fromEntries(
      Object.entries(database).map(([name, value]) => [
        name,
        /[uU]rl$/.test(name) && value !== undefined ? withoutPassword(String(value)) : value,
      ]),
    ),
  };
}

/** The fingerprints of the secrets here and of those that the database knows; what is wrong with them. */
async function compareSecrets(database: Database, config: Config) {
  const keys = keysOf(await secretsOf(config));
  const known = await knownSecrets(database);
  return {
    configured: [...keys.keys()],
    known,
    difference: differenceOf(known, keys) ?? null,
  };
}

/** Finds records of all accounts that former versions stored otherwise; mends them, or puts them back. */
async function reviewRecords(database: Database, { repair = false, undo }: RepairRequest) {
  const review: Review = { found: 0, repaired: 0, examples: [], collisions: [] };
  const undoing: UndoCounts = { undone: 0, changed_since: 0 };
  const requestId = `${undo === undefined ? repairs : 'undo-'}${randomUUID()}`;
  const accounts = await database.query<{ id: number; default_country: string | null }>(
    sql`SELECT id, default_country FROM accounts ORDER BY id`,
  );
  for (const { id, default_country } of accounts) {
    const at = { db: database, now: new Date(), requestId };
    const ctx = operating(at, id, default_country);
    if (undo === undefined) await reviewAccount(ctx, review, repair);
    else await undoRepair(ctx, undo, undoing);
  }
  if (undo !== undefined) return undoing;
  return { ...review, request_id: review.repaired > 0 ? requestId : null };
}

async function howTextIsSearched(database: Database): Promise<string> {
  const [index] = await database.query<{ name: string | null }>(
    sql`SELECT to_regclass('contacts_trigram_idx')::text AS name`,
  );
  if (!index?.name) {
    return 'without indexes: pg_trgm and btree_gin are missing, so a text search reads all rows of the account';
  }
  const [letters] = await database.query<{ are_known: boolean }>(
    sql`SELECT cardinality(show_trgm('жук')) > 0 AS are_known`,
  );
  return letters?.are_known
    ? 'indexed'
    : 'indexed for Latin letters alone: the LC_CTYPE of the database knows no others, so a search for them reads all rows of the account; back up, and restore into a database with C.UTF-8';
}

async function examine(config: Config, wish: RepairRequest): Promise<Findings> {
  const dataDir = config.database.kind === 'embedded' ? config.database.dataDir : undefined;
  if (dataDir !== undefined && !(await exists(dataDir))) return { healthy: false, exists: false };
  const running = dataDir === undefined ? undefined : (await findRunning(dataDir)) !== undefined;
  const { url, directUrl, stop } = await locateDatabase(config);
  try {
    const database = await openDatabase({ url, poolSize: 1 });
    try {
      const [server] = await database.query<{ version: string; encoding: string }>(
        sql`SELECT current_setting('server_version') AS version,
              current_setting('server_encoding') AS encoding`,
      );
      const connections = await countConnections(database, config);
      const migrations = await migrationStatus(await directUrl());
      const secrets = migrations.current ? await compareSecrets(database, config) : undefined;
      const records = migrations.current ? await reviewRecords(database, wish) : undefined;
      return {
        healthy:
          migrations.current &&
          connections.wanted <= connections.allowed &&
          secrets?.difference === null,
        reachable: true,
        ...(running === undefined ? {} : { ran_already: running }),
        ...server,
        migrations,
        connections,
        secrets,
        records,
        text_search: await howTextIsSearched(database),
      };
    } finally {
      await database.close();
    }
  } finally {
    await stop();
  }
}
