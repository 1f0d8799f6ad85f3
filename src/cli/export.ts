import { createWriteStream } from 'node:fs';
import { lstat, rename, rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import { stringify } from 'qs';
import { isJsonObject, type JsonObject, parseJson } from '../json.ts';
import { exportable, openExport } from '../resources/exports/export.ts';
import { type FormatName, formats } from '../rest/export/formats.ts';
import { totalHeader } from '../rest/export/register.ts';
import { exportedOf, textOf } from '../rest/export/text.ts';
import { prefix } from '../rest/register.ts';
import { exportRoutes } from '../rest/routes.ts';
import { id, operatorContext, withDatabase } from './command.ts';
import { CommandError } from './failure.ts';
import { example } from './help.ts';
import { Progress } from './progress.ts';

interface Wanted {
  readonly records: string;
  readonly account: number;
  readonly format: FormatName;
  readonly query: JsonObject;
}

interface Options extends Omit<Wanted, 'records'> {
  readonly output?: string;
  readonly url?: string;
}

/** Takes the text of an export, whose size is known before it. */
type Take = (text: AsyncIterable<Uint8Array>, total: number) => Promise<void>;

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
  .description('writes all records of an account that match, as they are at one moment')
  .argument('<records>', `which: ${exportable.join(', ')}`)
  .requiredOption('--account <id>', 'the account', id)
  .addOption(
    new Option('--format <format>', 'lines of JSON, or CSV')
      .choices(Object.keys(formats))
      .default('ndjson'),
  )
  .option('--query <json>', 'what must match, and the order, as in a search', query, {})
  .option('--output <file>', 'a new file, which is there once all is in it; else standard output')
  .option('--url <url>', 'of a service elsewhere, whose token is in CRM_TOKEN; else its database')
  .addHelpText('after', example('export contacts --account 2 --format csv --output contacts.csv'))
  .action(async (records: string, { output, url, ...options }: Options) => {
    if (!exportable.some((one) => one === records)) {
      throw new CommandError(`${records} cannot be exported: ${exportable.join(', ')} can`);
    }
    const wanted = { ...options, records };
    await into(output, (take) =>
      url === undefined ? fromDatabase(wanted, take) : fromService(wanted, url, take),
    );
  });

async function fromDatabase(wanted: Wanted, take: Take): Promise<void> {
  const { records, account, format } = wanted;
  await withDatabase(async (db, signing) => {
    const exported = exportedOf(records);
    const ctx = {
      ...(await operatorContext(db, signing, account)),
      hold: () => ({ signal: new AbortController().signal, end: () => undefined }),
    };
    const opened = await openExport(ctx, account, records, wanted, exported.selection);
    try {
      await take(textOf(exported, formats[format], opened.records()), opened.total);
    } finally {
      opened.close();
    }
  });
}

async function fromService(
  { records, account, format, query }: Wanted,
  url: string,
  take: Take,
): Promise<void> {
  const { CRM_TOKEN: token } = process.env;
  if (!token) throw new CommandError('CRM_TOKEN must have a token of the account');
  const route = exportRoutes.find(({ operation }) => operation === records);
  const path = (prefix + route?.path).replace(':account_id', String(account));
  const given = stringify({ format, query }, { addQueryPrefix: true });
  const address = `${url.replace(/\/+$/, '')}${path}${given}`;
  const answer = await fetch(address, { headers: { authorization: `Bearer ${token}` } });
  if (!answer.ok || !answer.body) {
    throw new CommandError(`${url} answered ${answer.status}: ${await answer.text()}`);
  }
  await take(partsOf(answer.body.getReader()), Number(answer.headers.get(totalHeader)));
}

/** What a service sends; an error when it is cut off. */
async function* partsOf(body: {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
}): AsyncGenerator<Uint8Array> {
  for (;;) {
    const { done, value } = await body.read();
    if (done) return;
    if (value) yield value;
  }
}

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
