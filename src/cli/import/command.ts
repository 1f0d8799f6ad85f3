import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { type Importable, importable } from '../../import/targets.ts';
import { readOrigin } from '../../origin.ts';
import { id, operatorContext, print, withDatabase } from '../command.ts';
import { CommandError } from '../failure.ts';
import { example } from '../help.ts';
import { emailOf, findUser } from '../person.ts';
import { type Pairs, pairs } from './columns.ts';
import type { Import, Imported } from './import.ts';
import { remoteService } from './remote.ts';

interface Options {
  readonly account: number;
  readonly map: Pairs;
  readonly set: Pairs;
  readonly upsert: boolean;
  readonly dryRun: boolean;
  readonly again: boolean;
  readonly report?: string;
  readonly url?: string;
  readonly user?: string;
}

function origin(text: string): string {
  const read = readOrigin(text);
  if (read !== undefined) return read;
  throw new InvalidArgumentError('It must be where the service is, as in https://crm.example.com.');
}

/** @throws {CommandError} when there is no token */
function tokenOf(environment: NodeJS.ProcessEnv): string {
  const token = environment.CRM_TOKEN?.trim();
  if (token) return token;
  throw new CommandError('Set CRM_TOKEN to a token that may write into the account');
}

/** Imports into the database of this machine, as its operator or one of the account's users. */
const importHere = (given: Import, email: string | undefined): Promise<Imported> =>
  withDatabase(async (db, signing) => {
    // Other commands need not wait for the whole interface to load.
    const { importFile } = await import('./import.ts');
    const { localService } = await import('./local.ts');
    const ctx = await operatorContext(db, signing, given.account);
    const user = email === undefined ? undefined : await findUser(db, email);
    if (user && user.accountId !== given.account) {
      throw new CommandError(`${email} is no user of account ${given.account}`);
    }
    if (given.records === 'deals' && !user) {
      throw new CommandError('Say with --user whose deals these become');
    }
    const viewer = { ...ctx.viewer, userId: user?.id ?? ctx.viewer.userId };
    return importFile(
      given,
      localService(() => ({ ...ctx, viewer, now: new Date() })),
    );
  });

async function importThere(given: Import, url: string): Promise<Imported> {
  const { importFile } = await import('./import.ts');
  const { account } = given;
  const token = tokenOf(process.env);
  return importFile(given, remoteService({ url, account, token }));
}

export const importCommand = new Command('import')
  .description('imports a file of CSV, from where it was cut off the last time')
  .addArgument(new Argument('<records>', 'what its rows are').choices(importable))
  .argument('<file>', 'with a row of names, in any encoding and with any divider that is usual')
  .requiredOption('--account <id>', 'the account', id)
  .option('--map <pairs>', 'what columns become, such as "Name=full_name,Tags="', pairs, [])
  .option('--set <pairs>', 'what all rows have, such as "kind=note"', pairs, [])
  .option('--upsert', 'changes contacts and deals that are there', false)
  .option('--dry-run', 'writes nothing, and says what would be refused', false)
  .option('--again', 'begins from the first row, whatever was done before', false)
  .option('--report <file>', 'for rows that are refused; beside the file when not given')
  .option('--url <url>', 'where the service is; CRM_TOKEN has a token of it', origin)
  .addOption(
    new Option('--user <email>', 'on whose behalf; with --url it is the token that says so')
      .argParser(emailOf)
      .conflicts('url'),
  )
  .addHelpText('after', example('import contacts people.csv --account 2 --upsert --dry-run'))
  .action(async (records: Importable, file: string, options: Options) => {
    const { url, user, account, map, set, report } = options;
    if (options.upsert && !['contacts', 'deals'].includes(records)) {
      throw new CommandError('--upsert is for contacts and deals');
    }
    const given: Import = {
      ...{ records, file, account, url, map, set, report },
      isUpsert: options.upsert,
      isDry: options.dryRun,
      isAgain: options.again,
    };
    const imported = await (url === undefined ? importHere(given, user) : importThere(given, url));
    print(imported);
    if (imported.refused > 0) process.exitCode = 1;
  });
