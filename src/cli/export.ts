import { createWriteStream } from 'node:fs';
import { lstat, rename, rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import { isJsonObject, type JsonObject, parseJson } from '../json/json.ts';
import { exportable, formats } from '../resources/exports/exportable.ts';
import { id } from './command.ts';
import { CommandError } from './command_error.ts';
import type { ExportRequest, Take } from './export_source.ts';
import { example } from './help.ts';
import { Progress } from './progress.ts';

interface Options extends Omit<ExportRequest, 'records'> {
  readonly output?: string;
  readonly url?: string;
}

function query(text: string): JsonObject {
  try {
    const parsed = parseJson(text);
    if (isJsonObject(parsed)) return parsed;
  } catch {
    // Told below.
  }
  throw new InvalidArgumentError('It must be a JSON object, as in a search.');
}

export const exportCommand = new Command('export')
  .description('writes all matching records of an account, as of one moment')
  .argument('<records>', `which: ${exportable.join(', ')}`)
  .requiredOption('--account <id>', 'the account', id)
  .addOption(
    new Option('--format <format>', 'lines of JSON, or CSV').choices(formats).default(formats[0]),
  )
  .option('--query <json>', 'what must match, and the order, as in a search', query, {})
  .option('--fields <names>', 'the fields of each record, separated by commas; all by default')
  .option(
    '--output <file>',
    'the file to write, which appears once it is complete; standard output by default',
  )
  .addOption(
    new Option(
      '--url <url>',
      'address of a service elsewhere, with a token in CRM_TOKEN; otherwise uses the database',
    ).env('CRM_URL'),
  )
  .addHelpText('after', example('export contacts --account 2 --format csv --output contacts.csv'))
  .action(async (records: string, { output, url, ...options }: Options) => {
    if (!exportable.some((one) => one === records)) {
      throw new CommandError(`${records} cannot be exported: ${exportable.join(', ')} can`);
    }
    const request = { ...options, records };
    // The other commands need not wait for the interface to load.
    const { fromDatabase, fromService } = await import('./export_source.ts');
    await into(output, (take) =>
      url === undefined ? fromDatabase(request, take) : fromService(request, url, take),
    );
  });

/** Has a file that is there whole or not at all; it may hold what nobody else is to read. */
async function into(output: string | undefined, run: (take: Take) => Promise<void>): Promise<void> {
  if (output === undefined) return run((text, total) => write(text, total, process.stdout));
  const isTaken = await lstat(output).then(
    () => true,
    () => false,
  );
  if (isTaken) throw new CommandError(`There is something at ${output} already: name a new file`);
  const unfinished = `${output}.unfinished`;
  try {
    await run((text, total) =>
      write(text, total, createWriteStream(unfinished, { mode: 0o600, flush: true })),
    );
    await rename(unfinished, output);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

async function write(
  text: AsyncIterable<Uint8Array>,
  total: number,
  target: Writable,
): Promise<void> {
  const progress = new Progress(`of ${total.toLocaleString('en')} records`);
  await pipeline(text, progress.watch, target, { end: target !== process.stdout });
  progress.end(total);
}
