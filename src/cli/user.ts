import { text } from 'node:stream/consumers';
import { Command, Option } from 'commander';
import type { Selection } from '../db/shape.ts';
import { isoTimestamp } from '../db/timestamp.ts';
import { insertUser } from '../resources/users/create.ts';
import { id, operatorContext, print, withDatabase } from './command.ts';
import { CommandError } from './failure.ts';
import { userLinkCommand } from './user_link.ts';

interface Options {
  readonly account: number;
  readonly email: string;
  readonly role: 'admin' | 'member';
  readonly fullName?: string;
  readonly passwordStdin?: true;
}

const shown: Selection = {
  fields: ['id', 'account_id', 'email', 'full_name', 'role', 'language', 'created_at'],
  relations: [],
};

export const userCommand = new Command('user')
  .description('Users')
  .addCommand(userLinkCommand)
  .addCommand(
    new Command('create')
      .description('creates a user of an account, by the rules of the API')
      .requiredOption('--account <id>', 'the account', id)
      .requiredOption('--email <email>', 'unique over all accounts')
      .option(
        '--password-stdin',
        'reads its password, 6 to 128 characters, from a line of standard input (required)',
      )
      .addOption(
        new Option('--role <role>', 'what it may do')
          .choices(['admin', 'member'])
          .default('member'),
      )
      .option('--full-name <name>', 'its name')
      .action(async ({ account, email, role, fullName, passwordStdin }: Options) => {
        // An argument could be read by every other user of the machine.
        if (!passwordStdin) {
          throw new CommandError(
            'The password comes from standard input: add --password-stdin, and < password.txt or a pipe',
          );
        }
        const password = (await text(process.stdin)).replace(/\r?\n$/, '');
        const input = {
          email,
          password,
          password_confirmation: password,
          ...(fullName === undefined ? {} : { full_name: fullName }),
        };
        const { created_at, ...user } = await withDatabase(async (db) =>
          insertUser(await operatorContext(db, account), { ...input, role }, shown),
        );
        print({ ...user, created_at: isoTimestamp(String(created_at)) });
      }),
  );
