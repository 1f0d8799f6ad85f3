import { Command } from 'commander';
import { readConfig } from '../config/config.ts';
import { locateDatabase } from '../db/connections/connect.ts';
import { migrate, migrationStatus } from '../db/migrations/migrate.ts';
import { seed } from '../demo/seed.ts';
import { print, withDatabase } from './command.ts';
import { CommandError } from './command_error.ts';
import { example } from './help.ts';

export const serveCommand = new Command('serve')
  .description('runs the service until a signal ends it')
  .addHelpText('after', example('serve'))
  .action(async () => {
    // The other commands need not wait for the whole service to load.
    const { serve } = await import('../process/serve.ts');
    process.exit(await serve(process.env));
  });

export const migrateCommand = new Command('migrate')
  .description('applies the migrations that the database lacks')
  .option('--retry', 'retries a migration that failed')
  .addHelpText('after', example('migrate'))
  .action(async ({ retry = false }: { retry?: boolean }) => {
    const { directUrl, stop } = await locateDatabase(readConfig(process.env));
    try {
      const url = await directUrl();
      const applied = await migrate(url, { retry });
      const { current } = await migrationStatus(url);
      print({ applied, current });
    } finally {
      await stop();
    }
  });

export const seedCommand = new Command('seed')
  .description('creates the demo account and prints a token of its admin')
  .addHelpText('after', example('seed'))
  .action(async () => {
    print(
      await withDatabase(async (db, { keys }, config) => {
        if (config.production) throw new CommandError('The demo account is not for production');
        if (await db.prisma().account.findFirst()) {
          throw new CommandError('The database has accounts: the demo account is for an empty one');
        }
        return seed(db, {
          keys,
          tokenTtl: config.tokenTtl,
          now: new Date(),
        });
      }),
    );
  });
