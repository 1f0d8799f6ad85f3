import { InvalidArgumentError } from 'commander';
import { keysOf } from '../auth/keys.ts';
import { setPasswordCost } from '../auth/passwords.ts';
import { secretsOf } from '../auth/secret.ts';
import { agreeOn } from '../auth/signing_secrets.ts';
import type { Signing } from '../auth/tokens.ts';
import { type Config, readConfig } from '../config/config.ts';
import { type Context, operating } from '../context/context.ts';
import { connect } from '../db/connections/connect.ts';
import type { Database } from '../db/database.ts';
import { assertMigrated } from '../db/migrations/migrate.ts';
import { isoTimestamp } from '../db/sql/timestamp.ts';
import { asId } from '../lib/integer.ts';
import { hasCode } from '../lib/process_lock.ts';
import { exists } from '../postgres/embedded.ts';
import {
  type RecordResult,
  type RecordValues,
  valuesOf,
} from '../resources/kernel/read/record_result.ts';
import { CommandError } from './command_error.ts';

/**
 * Runs a command's work on the configured database. The embedded one is joined when it runs, and
 * started for the call when it does not.
 * @throws {CommandError} when there is no embedded one
 * @throws {ForeignSecret} when the command would sign with another secret than the service
 * @throws when migrations are pending, which a command that does something else must not apply unasked
 */
export const withDatabase = <T>(
  work: (database: Database, signing: Signing, config: Config) => Promise<T>,
): Promise<T> =>
  withAnySecret(async (database, config) => {
    const keys = await agreeOn(database, keysOf(await secretsOf(config)));
    return work(database, { keys, ttl: config.tokenTtl }, config);
  });

/** The same for a command that is about the secrets themselves. */
export async function withAnySecret<T>(
  work: (database: Database, config: Config) => Promise<T>,
): Promise<T> {
  const config = readConfig(process.env);
  setPasswordCost(config.passwordCost);
  await assertCreated(config);
  const { database, close } = await connect(config, assertMigrated);
  try {
    return await work(database, config);
  } finally {
    await close();
  }
}

/**
 * @throws {CommandError} when there is no embedded database where there should be: created by a command,
 *   it would be a second one beside that of a server which keeps its data elsewhere
 */
export async function assertCreated({ database }: Config): Promise<void> {
  if (database.kind === 'url' || (await exists(database.dataDir))) return;
  throw new CommandError(
    `There is no database in ${database.dataDir}: set DATA_DIR or DATABASE_URL as the server has it, or make one with crm migrate`,
  );
}

/** Prints a command's result: one JSON value on one line. */
export function print(answer: unknown): void {
  writeLine(JSON.stringify(answer));
}

/** A record as it is printed: with its timestamps in ISO 8601. */
export const printed = (record: RecordResult): RecordValues =>
  Object.fromEntries(
    Object.entries(valuesOf(record)).map(([name, value]) => [
      name,
      name.endsWith('_at') && typeof value === 'string' ? isoTimestamp(value) : value,
    ]),
  );

/** Writes a line to standard output, whose reader may already be gone (`crm openapi | head`). */
export function writeLine(line: string): void {
  process.stdout.once('error', (error) => {
    if (!hasCode(error, 'EPIPE')) throw error;
  });
  process.stdout.write(`${line}\n`);
}

/** Parses an id given on the command line. */
export function id(text: string): number {
  const value = asId(text);
  if (value !== undefined) return value;
  throw new InvalidArgumentError('It must be a positive integer.');
}

/**
 * The context in which a command works on an account: as its operator.
 * @throws when there is no such account
 */
export async function operatorContext(
  db: Database,
  signing: Signing,
  accountId: number,
): Promise<Context> {
  const account = await db.prisma().account.findUnique({ where: { id: accountId } });
  if (!account) throw new CommandError(`There is no account ${accountId}`);
  const at = { db, now: new Date(), requestId: 'cli' };
  return { ...operating(at, accountId, account.default_country), signing };
}
