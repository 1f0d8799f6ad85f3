import { Command } from 'commander';
import { readConfig } from '../config/config.ts';
import { locateDatabase } from '../db/connections/connect.ts';
import { CannotDistribute, distribute } from '../db/migrations/distribute.ts';
import { migrationStatus } from '../db/migrations/migrate.ts';
import { print } from './command.ts';
import { CommandError } from './command_error.ts';
import { example } from './help.ts';

export const distributeCommand = new Command('distribute')
  .description(
    'spreads the accounts over the servers of a Citus cluster; the database must be its coordinator',
  )
  .addHelpText('after', example('distribute'))
  .action(async () => {
    const { url, stop } = await locateDatabase(readConfig(process.env));
    try {
      const { current } = await migrationStatus(url);
      if (!current) throw new CommandError('The database lacks migrations: run crm migrate first');
      print(await distribute(url));
    } catch (error) {
      throw error instanceof CannotDistribute ? new CommandError(error.message) : error;
    } finally {
      await stop();
    }
  });
