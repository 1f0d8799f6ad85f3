import { Command, Option } from 'commander';
import type { Selection } from '../db/sql/shape.ts';
import { insertUser } from '../resources/users/create.ts';
import { deleteUser } from '../resources/users/delete.ts';
import { listUsers } from '../resources/users/list.ts';
import { languages } from '../resources/users/record.ts';
import { updateUser } from '../resources/users/update.ts';
import { id, operatorContext, print, printed, withDatabase } from './command.ts';
import { CommandError } from './command_error.ts';
import { example } from './help.ts';
import { passwordOption, readPassword } from './password.ts';
import { emailOf, findUser, operatorOf } from './person.ts';
import { userLinkCommand } from './user_link.ts';

const selection: Selection = {
  fields: ['id', 'account_id', 'email', 'full_name', 'role', 'language', 'created_at'],
  relations: [],
};

const roleOption = () =>
  new Option('--role <role>', "the user's role").choices(['admin', 'member']);

interface Creation {
  readonly account: number;
  readonly email: string;
  readonly role: 'admin' | 'member';
  readonly fullName?: string;
  readonly language?: string;
  readonly passwordStdin?: true;
}

const create = new Command('create')
  .description('creates a user of an account, by the rules of the API')
  .requiredOption('--account <id>', 'the account', id)
  .requiredOption('--email <email>', 'unique over all accounts')
  .option(passwordOption[0], `${passwordOption[1]} (required)`)
  .addOption(roleOption().default('member'))
  .option('--full-name <name>', 'full name')
  .addOption(new Option('--language <code>', 'language of the console for them').choices(languages))
  .addHelpText(
    'after',
    example(
      'user create --account 2 --email ada@acme.example --role admin --password-stdin < password.txt',
    ),
  )
  .action(async ({ account, email, role, fullName, language, passwordStdin }: Creation) => {
    if (!passwordStdin) {
      throw new CommandError(
        'The password comes from standard input: add --password-stdin, and < password.txt or a pipe',
      );
    }
    const input = { email, role, full_name: fullName, language, ...(await readPassword()) };
    const user = await withDatabase(async (db, signing) =>
      insertUser(await operatorContext(db, signing, account), input, selection),
    );
    print(printed(user));
  });

const list = new Command('list')
  .description('lists the users of an account, and when each last used a token')
  .requiredOption('--account <id>', 'the account', id)
  .addHelpText('after', example('user list --account 2'))
  .action(async ({ account }: { account: number }) => {
    const users = await withDatabase(async (db, signing) => {
      await operatorContext(db, signing, account);
      return listUsers(db, account);
    });
    print(users.map(printed));
  });

interface Update {
  readonly email: string;
  readonly newEmail?: string;
  readonly role?: 'admin' | 'member';
  readonly fullName?: string;
  readonly passwordStdin?: true;
}

const update = new Command('update')
  .description('changes the given fields of a user; tokens stay valid')
  .requiredOption('--email <email>', "the user's e-mail address", emailOf)
  .option('--new-email <email>', 'unique over all accounts')
  .addOption(roleOption())
  .option('--full-name <name>', 'full name')
  .option(...passwordOption)
  .addHelpText('after', example('user update --email ada@acme.example --role member'))
  .action(async ({ email, newEmail, role, fullName, passwordStdin }: Update) => {
    const password = passwordStdin ? await readPassword() : {};
    const input = { email: newEmail, role, full_name: fullName, ...password };
    const user = await withDatabase(async (db, signing) => {
      const { ctx, id } = await operatorOf(db, signing, email);
      return updateUser(ctx, ctx.viewer.accountId, id, input, selection);
    });
    print(printed(user));
  });

interface Deletion {
  readonly email: string;
  readonly giveDealsTo?: string;
}

const remove = new Command('delete')
  .description('removes a user and ends their tokens immediately')
  .requiredOption('--email <email>', "the user's e-mail address", emailOf)
  .option(
    '--give-deals-to <email>',
    'who gets the deals and assignments; they become unassigned by default',
    emailOf,
  )
  .addHelpText(
    'after',
    example('user delete --email ada@acme.example --give-deals-to grace@acme.example'),
  )
  .action(async ({ email, giveDealsTo }: Deletion) => {
    const gone = await withDatabase(async (db, signing) => {
      const { ctx, id } = await operatorOf(db, signing, email);
      const to = giveDealsTo === undefined ? undefined : (await findUser(db, giveDealsTo)).id;
      return deleteUser(ctx, ctx.viewer.accountId, id, { reassign_to: to });
    });
    print({ ...gone, email });
  });

export const userCommand = new Command('user')
  .description('Users')
  .addCommand(userLinkCommand)
  .addCommand(create)
  .addCommand(list)
  .addCommand(update)
  .addCommand(remove);
