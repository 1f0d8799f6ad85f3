import { Command } from 'commander';
import { secretIn } from '../auth/secret.ts';
import { backUp } from '../backup/back_up.ts';
import { readBackup } from '../backup/manifest.ts';
import { restore } from '../backup/restore.ts';
import { type Config, readConfig } from '../config.ts';
import { locateDatabase } from '../db/connect.ts';
import { keptIn, readIfThere } from '../kept_file.ts';
import { assertCreated, print } from './command.ts';
import { CommandError } from './failure.ts';

/** The data directory's own secret; undefined when another one is configured, or none was made yet. */
async function ownSecret({ jwtSecret, dataDir }: Config): Promise<string | undefined> {
  if (jwtSecret !== undefined) return undefined;
  return (await readIfThere(secretIn(dataDir)))?.trim();
}

export const backupCommand = new Command('backup')
  .description('writes everything that the database holds into a new directory')
  .argument('<directory>', 'where nothing is yet')
  .action(async (directory: string) => {
    const config = readConfig(process.env);
    await assertCreated(config);
    const { url, stop } = await locateDatabase(config);
    try {
      const secret = await ownSecret(config);
      const { made_at, tables } = await backUp(url, directory, secret);
      const rows = Object.fromEntries(tables.map(({ name, rows }) => [name, rows]));
      print({ directory, made_at, rows, holds_secret: secret !== undefined });
    } finally {
      await stop();
    }
  });

/**
 * Sees what becomes of the tokens of a backup.
 * @returns whether they will be accepted, null when the backup does not say; and `keep`, which puts the
 *   backup's secret into the data directory where it belongs there
 * @throws {CommandError} when the data directory has another secret
 */
async function secretOf(
  config: Config,
  directory: string,
): Promise<{ readonly accepted: boolean | null; keep(): Promise<unknown> }> {
  const secret = (await readIfThere(secretIn(directory)))?.trim();
  const keep = async () => undefined;
  if (secret === undefined) return { accepted: null, keep };
  if (config.jwtSecret !== undefined) return { accepted: config.jwtSecret === secret, keep };
  const path = secretIn(config.dataDir);
  const there = await ownSecret(config);
  if (there !== undefined && there !== secret) {
    throw new CommandError(`${path} is another secret than the backup's: move it away before`);
  }
  return {
    accepted: true,
    keep: () =>
      keptIn(
        path,
        (text) => text.trim() || undefined,
        () => `${secret}\n`,
      ),
  };
}

export const restoreCommand = new Command('restore')
  .description('fills an empty database with what a backup holds')
  .argument('<directory>', 'the backup')
  .action(async (directory: string) => {
    const config = readConfig(process.env);
    const manifest = await readBackup(directory);
    const { accepted, keep } = await secretOf(config, directory);
    const { url, stop } = await locateDatabase(config);
    try {
      await restore(url, directory, manifest);
      await keep();
      const rows = Object.fromEntries(manifest.tables.map(({ name, rows }) => [name, rows]));
      print({ made_at: manifest.made_at, rows, tokens_accepted: accepted });
    } finally {
      await stop();
    }
  });
