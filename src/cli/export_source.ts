/** Where `crm export` has its records from. */
import { stringify } from 'qs';
import type { JsonObject } from '../json/json.ts';
import { trimEnd } from '../lib/trim.ts';
import { openExport } from '../resources/exports/export.ts';
import type { FormatName } from '../resources/exports/exportable.ts';
import { formats } from '../rest/export/formats.ts';
import { totalHeader } from '../rest/export/register.ts';
import { ExportedRecords, textOf } from '../rest/export/text.ts';
import { prefix } from '../rest/register.ts';
import { exportRoutes } from '../rest/routes.ts';
import { operatorContext, withDatabase } from './command.ts';
import { CommandError } from './command_error.ts';
import { unreachable } from './unreachable.ts';

export interface ExportRequest {
  readonly records: string;
  readonly account: number;
  readonly format: FormatName;
  readonly query: JsonObject;
  /** Names divided by commas; all when not given. */
  readonly fields?: string;
}

/** Takes the text of an export, whose size is known before it. */
export type Take = (text: AsyncIterable<Uint8Array>, total: number) => Promise<void>;

/** From the database that the environment names. */
export async function fromDatabase(request: ExportRequest, take: Take): Promise<void> {
  const { records, account, format } = request;
  await withDatabase(async (db, signing) => {
    const { fields, exported, misplaced } = new ExportedRecords(records).read({
      fields: request.fields,
    });
    const ctx = {
      ...(await operatorContext(db, signing, account)),
      misplaced,
      hold: () => ({ signal: new AbortController().signal, end: () => undefined }),
    };
    const args = { ...request, fields };
    const opened = await openExport(ctx, account, records, args, exported.selection);
    try {
      await take(textOf(exported, formats[format], opened.records()), opened.total);
    } finally {
      opened.close();
    }
  });
}

/** @throws {CommandError} with what the service answers when it refuses, or why it cannot be asked */
export async function fromService(
  { records, account, format, query, fields }: ExportRequest,
  url: string,
  take: Take,
): Promise<void> {
  const { CRM_TOKEN: token } = process.env;
  if (!token) throw new CommandError('CRM_TOKEN must have a token of the account');
  const route = exportRoutes.find(({ operation }) => operation === records);
  const path = (prefix + route?.path).replace(':account_id', String(account));
  const queryText = stringify({ format, fields, query }, { addQueryPrefix: true });
  const address = `${trimEnd(url, '/')}${path}${queryText}`;
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(address, { headers }).catch((error: unknown) => {
    throw new CommandError(unreachable(url, error).message);
  });
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
