/** Importing a file as `crm import` and the console do: rows become records, which are sent in batches with keys. */
import { openSheet } from '../../src/csv/open.ts';
import { columnsOf, guess } from '../../src/import/mapping.ts';
import { MemoryJournal } from '../../src/import/memory_journal.ts';
import { everyPage, type Page } from '../../src/import/pages.ts';
import { draftsOf, importDrafts, type Task } from '../../src/import/run.ts';
import type { Result, Service } from '../../src/import/service.ts';
import type { Answer } from '../kit/http.ts';
import type { Rest } from '../kit/rest.ts';

const json = { parse: (text: string): unknown => JSON.parse(text), stringify: JSON.stringify };

/** So few that most files take several batches. */
const portion = { records: 3, characters: 100_000 };

/**
 * @param rows of a file of CSV, the header first
 * @param answered called with each answer of the service, look-ups included
 * @returns what became of the records that were sent
 */
export async function importRows(
  rest: Rest,
  { records, operation }: Pick<Task, 'records' | 'operation'>,
  rows: readonly (readonly string[])[],
  answered: (answer: Answer) => void,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const ask = async <T>(path: string, body: string, key?: string): Promise<T> => {
    const answer = await rest.post<T>(
      path,
      body,
      key === undefined ? {} : { 'idempotency-key': key },
    );
    answered(answer);
    return answer.body;
  };
  const service: Service = {
    write: async (of, body, key) => {
      const written = await ask<{ results: Result[] }>(`/${of}/batch`, body, key);
      if (key !== undefined) results.push(...written.results);
      return written.results;
    },
    find: (of, query) =>
      everyPage((page) =>
        ask<Page>(`/${of}/search`, JSON.stringify({ query, page, per_page: 100 })),
      ),
  };
  const text = rows.map((row) => row.join(',')).join('\r\n');
  const sheet = await openSheet(async function* () {
    yield Buffer.from(text);
  });
  const columns = columnsOf(records, guess(records, sheet.names, false), new Map(), false);
  const task: Task = { records, operation, isDry: false, portion };
  const journal = new MemoryJournal(sheet.header, () => undefined);
  const drafts = draftsOf(sheet.rows, columns, json);
  for await (const _ of importDrafts(drafts, task, service, journal, json));
  return results;
}
