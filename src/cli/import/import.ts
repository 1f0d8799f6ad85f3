/** Importing a file of CSV, into this database or over the network. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { openSheet } from '../../csv/open.ts';
import { UnreadableCsv } from '../../csv/read.ts';
import { MemoryJournal } from '../../import/memory_journal.ts';
import type { DayOrder } from '../../import/moments.ts';
import type { Counts } from '../../import/part.ts';
import { draftsOf, importDrafts, largest, type Task } from '../../import/run.ts';
import type { Service } from '../../import/service.ts';
import type { Importable } from '../../import/targets.ts';
import { JsonText, stringifyJson } from '../../json/json.ts';
import { hasCode, withProcessLock } from '../../lib/process_lock.ts';
import { CommandError } from '../command_error.ts';
import { choose, type Pairs } from './columns.ts';
import { type Doubtful, FileJournal, type Ledger } from './journal.ts';
import { Progress } from './progress.ts';
import { Report } from './report.ts';

/** What is to be imported, and how. */
export interface Import {
  readonly file: string;
  readonly records: Importable;
  readonly account: number;
  /** The name of the encoding that is assumed where the file does not show it. */
  readonly encoding: string | undefined;
  /** In which order days with slashes are written; undefined where nobody says, which refuses them. */
  readonly days: DayOrder | undefined;
  /** Where the service is; undefined for this process. */
  readonly url: string | undefined;
  readonly map: Pairs;
  readonly set: Pairs;
  readonly isUpsert: boolean;
  readonly isDry: boolean;
  readonly isAgain: boolean;
  /** See {@link InlineIdempotency}. */
  readonly caller: string;
  readonly doubtful: Doubtful | undefined;
  /** Where to write what was refused; beside the file unless given. */
  readonly report: string | undefined;
}

/** What became of a file. */
export interface FileReport extends Counts {
  readonly dry_run: boolean;
  /** How the file is encoded. */
  readonly encoding: string;
  /** Columns that were left out. */
  readonly left_out: readonly string[];
  /** The file of rows that were refused, if there are any. */
  readonly report: string | null;
}

const json = {
  parse: (text: string) => {
    JSON.parse(text);
    return new JsonText(text);
  },
  stringify: stringifyJson,
};

/**
 * Imports a file, from where an earlier call was cut off.
 * @throws {CommandError} when the file or the mapping cannot be used; when the service refuses all of it
 */
export async function importFile(task: Import, service: Service): Promise<FileReport> {
  const { file } = task;
  const stats = await stat(file).catch((error: unknown) => {
    throw hasCode(error, 'ENOENT') ? new CommandError(`There is no file ${file}`) : error;
  });
  if (stats.isDirectory()) throw new CommandError(`${file} is a directory, not a file`);
  // Of two that import the same file at once one would write what the other does.
  return withProcessLock(`${file}.import.lock`, () =>
    run(task, service, new Progress(stats.size)).catch((error: unknown) => {
      throw error instanceof UnreadableCsv ? new CommandError(`${file}: ${error.message}`) : error;
    }),
  );
}

async function run(options: Import, service: Service, progress: Progress): Promise<FileReport> {
  const { file, records, account, url, map, set, days, isUpsert, isDry, isAgain } = options;
  const sheet = await openSheet(() => createReadStream(file), {
    assumed: options.encoding,
    counted: (chunks) => progress.count(chunks),
  });
  const { names, header, rows, encoding } = sheet;
  const said = { said: map, fixed: set, isOwn: url === undefined };
  const { columns, left } = choose(records, names, said);
  const task: Task = {
    records,
    operation: isUpsert ? 'upsert' : 'create',
    isDry,
    portion: largest,
  };
  const report = new Report(options.report ?? `${file}.${isDry ? 'faults' : 'refused'}.csv`, names);
  const ledger: Ledger = isDry
    ? new MemoryJournal(header, (refused) => report.add(refused))
    : await FileJournal.open({
        file,
        task: { account, url, columns, encoding: options.encoding, days, ...task },
        header,
        report,
        isAgain,
        caller: options.caller,
        doubtful: options.doubtful,
      });
  if (isDry) await report.cut(0);
  const drafts = draftsOf(rows, columns, json, days);
  for await (const _ of importDrafts(drafts, task, service, ledger, json))
    progress.tell(ledger.counts);
  progress.end();
  await ledger.close();
  const { counts } = ledger;
  return {
    dry_run: isDry,
    ...counts,
    encoding: encoding.name,
    left_out: left,
    report: counts.refused > 0 ? report.path : null,
  };
}
