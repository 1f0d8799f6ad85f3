import { Command } from 'commander';
import type { Signing } from '../auth/tokens.ts';
import { operating } from '../context/context.ts';
import type { Database } from '../db/database.ts';
import { insertAccount } from '../resources/accounts/create.ts';
import { deleteAccount } from '../resources/accounts/delete.ts';
import { listAccounts } from '../resources/accounts/list.ts';
import { updateAccount } from '../resources/accounts/update.ts';
import type { RecordValues } from '../resources/kernel/read/record_result.ts';
import { insertPipeline } from '../resources/pipelines/insert.ts';
import { id, operatorContext, print, printed, withDatabase } from './command.ts';
import { confirmByName } from './confirm.ts';
import { example } from './help.ts';

interface Settings {
  readonly country?: string;
  readonly timeZone?: string;
  readonly currency?: string;
}

interface Creation extends Settings {
  readonly name: string;
  /** Of a first pipeline, in their order. */
  readonly pipeline?: readonly string[];
}

/** What is to be shown and read otherwise for an account. */
const settings = (command: Command): Command =>
  command
    .option(
      '--country <code>',
      'country assumed for phone numbers without a country code, such as BR; "" for none',
    )
    .option(
      '--time-zone <name>',
      'time zone of the days in dashboards, such as America/Recife; "" for UTC',
    )
    .option('--currency <code>', 'currency that amounts are shown in, such as BRL; "" for none');

const sentOf = ({ country, timeZone, currency }: Settings) => ({
  default_country: country,
  time_zone: timeZone,
  currency,
});

const textOfAccount = ({ version: _, ...account }: RecordValues) => printed(account);

/** Creates an account with its settings and a first pipeline, or nothing at all. */
const createAccount = (db: Database, signing: Signing, { name, pipeline, ...options }: Creation) =>
  db.transaction(async (tx) => {
    const at = { db: tx.asDatabase, now: new Date(), requestId: 'cli' };
    const account = await insertAccount(at, name);
    const fields = sentOf(options);
    const ctx = { ...operating(at, account.id), signing };
    const isPlain = Object.values(fields).every((value) => value === undefined);
    const record = isPlain ? account : textOfAccount(await updateAccount(ctx, account.id, fields));
    if (!pipeline) return record;
    const [first = '', ...stages] = pipeline;
    return { ...record, pipeline: await insertPipeline(ctx, first, stages) };
  });

const create = settings(
  new Command('create')
    .description('creates an account')
    .requiredOption('--name <name>', 'its name')
    .option(
      '--pipeline <names>',
      'a first pipeline: its name, and those of its stages in their order, separated by commas',
      (text) => text.split(','),
    ),
)
  .addHelpText(
    'after',
    example(
      'account create --name "Acme" --country BR --time-zone America/Recife --currency BRL --pipeline Sales,New,Offer',
    ),
  )
  .action(async (options: Creation) =>
    print(await withDatabase((db, signing) => createAccount(db, signing, options))),
  );

const list = new Command('list')
  .description('lists all accounts')
  .addHelpText('after', example('account list'))
  .action(async () => print((await withDatabase(listAccounts)).map(printed)));

interface Update extends Settings {
  readonly account: number;
  readonly name?: string;
}

const update = settings(
  new Command('update')
    .description('changes the given fields of an account')
    .requiredOption('--account <id>', 'the account', id)
    .option('--name <name>', 'its name'),
)
  .addHelpText('after', example('account update --account 2 --country BR'))
  .action(async ({ account, name, ...options }: Update) => {
    const fields = { name, ...sentOf(options) };
    const changed = await withDatabase(async (db, signing) =>
      updateAccount(await operatorContext(db, signing, account), account, fields),
    );
    print(textOfAccount(changed));
  });

interface Deletion {
  readonly account: number;
  readonly yes: boolean;
}

async function remove(db: Database, signing: Signing, { account, yes }: Deletion) {
  const ctx = await operatorContext(db, signing, account);
  const { name } = await db.prisma().account.findUniqueOrThrow({ where: { id: account } });
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
