import { Command } from 'commander';
import { insertAccount } from '../resources/accounts/create.ts';
import { print, withDatabase } from './command.ts';

export const accountCommand = new Command('account').description('Accounts').addCommand(
  new Command('create')
    .description('creates an account')
    .requiredOption('--name <name>', 'its name')
    .action(async ({ name }: { name: string }) => {
      print(
        await withDatabase((db) => insertAccount({ db, now: new Date(), requestId: 'cli' }, name)),
      );
    }),
);
