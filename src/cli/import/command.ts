import { createHash } from 'node:crypto';
import { Command, InvalidArgumentError, Option } from 'commander';
import { readOrigin } from '../../config/origin.ts';
import type { Context } from '../../context/context.ts';
import { encodingCalled } from '../../csv/decode.ts';
import { type DayOrder, dayOrders } from '../../import/moments.ts';
import { type Importable, importable } from '../../import/targets.ts';
import { id, operatorContext, print, withDatabase } from '../command.ts';
import { CommandError } from '../command_error.ts';
import { example } from '../help.ts';
import { emailOf, findUser } from '../person.ts';
import { type Pairs, pairs } from './columns.ts';
import type { FileReport, Import } from './import.ts';
import { type Doubtful, doubtful } from './journal.ts';
import { remoteService } from './remote.ts';
import type { Brought } from './woofed/bring.ts';

interface Options {
  readonly from?: 'woofed';
  readonly idAs?: string;
  readonly keepIds: boolean;
  readonly account: number;
  readonly map: Pairs;
  readonly set: Pairs;
  readonly encoding?: string;
  readonly days?: DayOrder;
  readonly upsert: boolean;
  readonly dryRun: boolean;
  readonly again: boolean;
  readonly doubtful?: Doubtful;
  readonly report?: string;
  readonly url?: string;
  readonly user?: string;
}

function origin(text: string): string {
  const address = readOrigin(text);
  if (address !== undefined) return address;
  throw new InvalidArgumentError('It must be where the service is, as in https://crm.example.com.');
}

function encoding(text: string): string {
  const name = encodingCalled(text);
  if (name !== undefined) return name;
  throw new InvalidArgumentError('It must be the name of an encoding, such as windows-1250.');
}

/** @throws {CommandError} when there is no token */
function tokenOf(environment: NodeJS.ProcessEnv): string {
  const token = environment.CRM_TOKEN?.trim();
  if (token) return token;
  throw new CommandError('Set CRM_TOKEN to a token that may write into the account');
}

/** Tells one token from another, and nobody what it is. */
const digestOf = (token: string): string => createHash('sha256').update(token).digest('base64url');

/**
 * Does work in the database of this machine, as its operator or one of the account's users.
 * @param work takes what makes the context of one call, and the id of the user
 */
const here = <T>(
  account: number,
  email: string | undefined,
  work: (contextOf: () => Context, userId: number | undefined) => Promise<T>,
): Promise<T> =>
  withDatabase(async (db, signing) => {
    const ctx = await operatorContext(db, signing, account);
    const user = email === undefined ? undefined : await findUser(db, email);
    if (user && user.accountId !== account) {
      throw new CommandError(`${email} is no user of account ${account}`);
    }
    const viewer = { ...ctx.viewer, userId: user?.id ?? ctx.viewer.userId };
    return work(() => ({ ...ctx, viewer, now: new Date() }), user?.id);
  });

const importHere = (task: Import, email: string | undefined): Promise<FileReport> =>
  here(task.account, email, async (contextOf, userId) => {
    // Other commands need not wait for the whole interface to load.
    const { importFile } = await import('./import.ts');
    const { localService } = await import('./local.ts');
    if (task.records === 'deals' && userId === undefined) {
      throw new CommandError('Say with --user whose deals these become');
    }
    return importFile(task, localService(contextOf));
  });

async function bringHere(source: string, options: Options): Promise<Brought> {
  const { account, user, dryRun, idAs = 'woofed_id', keepIds, report } = options;
  if (user === undefined) {
    throw new CommandError('Say with --user whose deals those become that no user here created');
  }
  const { openSource } = await import('./woofed/open.ts');
  const { bring } = await import('./woofed/bring.ts');
  const { localService } = await import('./local.ts');
  const opened = await openSource(source, process.env.WOOFED_TOKEN?.trim());
  return here(account, user, async (contextOf, userId = 0) =>
    bring({
      ...{ source: opened.source, name: opened.name, contextOf, userId, keepsIds: keepIds },
      service: localService(contextOf),
      isDry: dryRun,
      key: idAs,
      report: report ?? `${opened.name}.${dryRun ? 'faults' : 'refused'}.csv`,
    }),
  );
}

async function importThere(task: Import, url: string): Promise<FileReport> {
  const { importFile } = await import('./import.ts');
  const { account } = task;
  const token = tokenOf(process.env);
  return importFile(task, remoteService({ url, account, token }));
}

function attributeName(text: string): string {
  if (/^\w{1,64}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be made of letters, digits and underscores.');
}

const isImportable = (text: string): text is Importable =>
  importable.some((records) => records === text);

export const importCommand = new Command('import')
  .description('imports a CSV file or an account of Woofed; continues where it was interrupted')
  .argument('<records>', `what the rows of a file are: ${importable.join(', ')}`)
  .argument(
    '[file]',
    'a file with a row of column names, in any usual encoding and with any usual separator',
  )
  .usage('<records> <file> [options]\n       crm import --from woofed <source> [options]')
  .requiredOption('--account <id>', 'the account', id)
  .option('--map <pairs>', 'what columns become, such as "Name=full_name,Tags="', pairs, [])
  .option('--set <pairs>', 'the same value for all rows, such as "kind=note"', pairs, [])
  .option(
    '--encoding <name>',
    'encoding of a file that is not UTF-8, such as windows-1250; windows-1252 by default',
    encoding,
  )
  .addOption(
    new Option('--days <order>', 'how days with slashes are written, such as 03/04/2026').choices(
      dayOrders,
    ),
  )
  .option('--upsert', 'updates contacts and deals that exist', false)
  .option('--dry-run', 'writes nothing; says what would be refused', false)
  .option('--again', 'starts from the first row again, whatever was imported before', false)
  .addOption(
    new Option(
      '--doubtful <what>',
      'what becomes of rows that were sent when it was cut off, and of which the service knows no more',
    ).choices(doubtful),
  )
  .option('--report <file>', 'where to write refused rows; beside the file by default')
  .addOption(
    new Option('--url <url>', 'address of a service elsewhere; its token is in CRM_TOKEN')
      .env('CRM_URL')
      .argParser(origin),
  )
  .addOption(
    new Option('--user <email>', 'the user on whose behalf; with --url, the token decides')
      .argParser(emailOf)
      .conflicts('url'),
  )
  .addOption(
    new Option(
      '--from <system>',
      'brings an account, from a folder of the JSON that its API answers, or from that API: https://crm.example.com/api/v1/accounts/7, with a token in WOOFED_TOKEN',
    )
      .choices(['woofed'])
      .conflicts(['url', 'map', 'set', 'encoding', 'days', 'upsert', 'again']),
  )
  .option('--keep-ids', 'with --from: pipelines and stages keep their ids', false)
  .option(
    '--id-as <name>',
    'with --from: the custom attribute for the former id; woofed_id by default',
    attributeName,
  )
  .addHelpText(
    'after',
    `${example('import contacts people.csv --account 2 --upsert --dry-run')}
  crm import --from woofed https://crm.example.com/api/v1/accounts/7 --account 2 --user ada@acme.example --keep-ids`,
  )
  .action(async (records: string, file: string | undefined, options: Options) => {
    if (options.from) {
      if (file !== undefined) throw new CommandError('--from woofed takes one folder or URL');
      const brought = await bringHere(records, options);
      print(brought);
      if (brought.report !== null) process.exitCode = 1;
      return;
    }
    if (options.keepIds || options.idAs !== undefined) {
      throw new CommandError('--keep-ids and --id-as go with --from woofed');
    }
    if (!isImportable(records)) {
      throw new CommandError(`${records} cannot be imported: ${importable.join(', ')} can`);
    }
    if (file === undefined) throw new CommandError(`Name the file that has the ${records}`);
    await importRows(records, file, options);
  });

async function importRows(records: Importable, file: string, options: Options): Promise<void> {
  const { url, user, account, map, set, report } = options;
  if (options.upsert && !['contacts', 'deals'].includes(records)) {
    throw new CommandError('--upsert is for contacts and deals');
  }
  const task: Import = {
    ...{ records, file, account, url, map, set, report },
    encoding: options.encoding,
    days: options.days,
    isUpsert: options.upsert,
    isDry: options.dryRun,
    isAgain: options.again,
    caller: url === undefined ? '' : digestOf(tokenOf(process.env)),
    doubtful: options.doubtful,
  };
  const imported = await (url === undefined ? importHere(task, user) : importThere(task, url));
  print(imported);
  if (imported.refused > 0) process.exitCode = 1;
}
