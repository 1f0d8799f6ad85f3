import { Command } from 'commander';
import type { Signing } from '../auth/tokens.ts';
import type { Database } from '../db/database.ts';
import { insertAccount } from '../resources/accounts/create.ts';
import { deleteAccount } from '../resources/accounts/delete.ts';
import { listAccounts } from '../resources/accounts/list.ts';
import { updateAccount } from '../resources/accounts/update.ts';
import { id, operatorContext, print, printed, withDatabase } from './command.ts';
import { confirmByName } from './confirm.ts';
import { example } from './help.ts';

const create = new Command('create')
  .description('creates an account')
  .requiredOption('--name <name>', 'its name')
  .addHelpText('after', example('account create --name "Acme"'))
  .action(async ({ name }: { name: string }) => {
    print(
      await withDatabase((db) => insertAccount({ db, now: new Date(), requestId: 'cli' }, name)),
    );
  });

const list = new Command('list')
  .description('lists all accounts')
  .addHelpText('after', example('account list'))
  .action(async () => print((await withDatabase(listAccounts)).map(printed)));

interface Update {
  readonly account: number;
  readonly name?: string;
  readonly country?: string;
  readonly timeZone?: string;
  readonly currency?: string;
}

const update = new Command('update')
  .description('changes the given fields of an account')
  .requiredOption('--account <id>', 'the account', id)
  .option('--name <name>', 'its name')
  .option(
    '--country <code>',
    'country assumed for phone numbers without a country code, such as BR; "" for none',
  )
  .option(
    '--time-zone <name>',
    'time zone of the days in dashboards, such as America/Recife; "" for UTC',
  )
  .option('--currency <code>', 'currency that amounts are shown in, such as BRL; "" for none')
  .addHelpText('after', example('account update --account 2 --country BR'))
  .action(async ({ account, name, country, timeZone, currency }: Update) => {
    const sent = { name, default_country: country, time_zone: timeZone, currency };
    const { version: _, ...changed } = await withDatabase(async (db, signing) =>
      updateAccount(await operatorContext(db, signing, account), account, sent),
    );
    print(printed(changed));
  });

interface Deletion {
  readonly account: number;
  readonly yes: boolean;
}

async function remove(db: Database, signing: Signing, { account, yes }: Deletion) {
  const ctx = await operatorContext(db, signing, account);
  const { name } = await db.prisma.account.findUniqueOrThrow({ where: { id: account } });
  const about = `This removes the account ${account}, "${name}", and everything in it, for good`;
  if (!yes) await confirmByName(about, name);
  return { id: account, name, removed: await deleteAccount(ctx) };
}

const deletion = new Command('delete')
  .description('removes an account with everything in it, for good')
  .requiredOption('--account <id>', 'the account', id)
  .option('--yes', 'does not ask for the name of the account', false)
  .addHelpText('after', example('account delete --account 2'))
  .action(async (which: Deletion) =>
    print(await withDatabase((db, signing) => remove(db, signing, which))),
  );

export const accountCommand = new Command('account')
  .description('Accounts')
  .addCommand(create)
  .addCommand(list)
  .addCommand(update)
  .addCommand(deletion);
