import { Command } from 'commander';
import { isOwn, secretIn, secretsOf, storedSecrets, storeSecrets } from '../auth/secret.ts';
import { backUp } from '../backup/back_up.ts';
import { readBackup } from '../backup/manifest.ts';
import { restore } from '../backup/restore.ts';
import { type Config, readConfig } from '../config/config.ts';
import { locateDatabase } from '../db/connections/connect.ts';
import { assertCreated, print } from './command.ts';
import { CommandError } from './command_error.ts';
import { example } from './help.ts';

export const backupCommand = new Command('backup')
  .description('writes everything in the database into a new directory')
  .argument('<directory>', 'where nothing is yet')
  .addHelpText('after', example('backup ../crm-2026-11-23'))
  .action(async (directory: string) => {
    const config = readConfig(process.env);
    await assertCreated(config);
    const { url, stop } = await locateDatabase(config);
    try {
      const secrets = isOwn(config) ? await storedSecrets(config.dataDir) : [];
      const { made_at, tables } = await backUp(url, directory, secrets);
      const rows = Object.fromEntries(tables.map(({ name, rows }) => [name, rows]));
      print({ directory, made_at, rows, holds_secret: secrets.length > 0 });
    } finally {
      await stop();
    }
  });

/**
 * Sees what becomes of the tokens of a backup.
 * @returns whether they will be accepted, null when the backup does not say; and `keep`, which puts the
 *   backup's secrets into the data directory where they belong there
 * @throws {CommandError} when the data directory has another secret
 */
async function secretOf(
  config: Config,
  directory: string,
): Promise<{ readonly accepted: boolean | null; keep(): Promise<unknown> }> {
  const secrets = await storedSecrets(directory);
  const [secret] = secrets;
  const keep = async () => undefined;
  if (secret === undefined) return { accepted: null, keep };
  if (!isOwn(config)) return { accepted: (await secretsOf(config)).includes(secret), keep };
  const [there = secret] = await storedSecrets(config.dataDir);
  if (there !== secret) {
    throw new CommandError(
      `${secretIn(config.dataDir)} is another secret than the backup's: move it away before`,
    );
  }
  return { accepted: true, keep: () => storeSecrets(config.dataDir, secrets) };
}

export const restoreCommand = new Command('restore')
  .description('fills an empty database from a backup')
  .argument('<directory>', 'the backup')
  .addHelpText('after', example('restore ../crm-2026-11-23'))
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
