/** An import, part by part, each of which is written once, however often it is cut off. */
import type { Row } from '../csv/read.ts';
import type { Json } from './cells.ts';
import { type Draft, draftOf, type FieldMessages } from './draft.ts';
import { linesAfter, ownAndLine, withLineFaults } from './lines.ts';
import type { Column } from './mapping.ts';
import type { DayOrder } from './moments.ts';
import { describingContact, withParents } from './parents.ts';
import { type Part, type PartResult, resultOf } from './part.ts';
import type { Result, Service } from './service.ts';
import type { Importable } from './targets.ts';

/** How much is sent at once. */
export interface Portion {
  readonly records: number;
  /** Of cells: as JSON each may need six times as much. */
  readonly characters: number;
}

/** As much as a batch may have. */
export const largest: Portion = { records: 1000, characters: 1024 * 1024 };

/** What is done with the records. */
export interface Task {
  readonly records: Importable;
  readonly operation: 'create' | 'upsert';
  /** Whether nothing is written, and only said what would be refused. */
  readonly isDry: boolean;
  readonly portion: Portion;
}

/** Remembers how far an import has come. */
export interface Journal {
  /** The number of the last row that is done with. */
  readonly last: number;
  /** A part that was sent without its answer being known. */
  readonly pending: Part | undefined;
  keyOf(firstRow: number): string;
  /** Called with a part before it is sent. */
  begin(part: Part): Promise<void>;
  /** Called with what became of it; nothing is pending then. */
  end(settled: PartResult): Promise<void>;
}

/**
 * Imports the records that a journal has not seen the end of. It stands still after each part until it is
 * asked to go on.
 * @param drafts of rows in their order, from the first one on
 */
export async function* importDrafts(
  drafts: AsyncIterable<Draft>,
  task: Task,
  service: Service,
  journal: Journal,
  json: Json,
): AsyncGenerator<void> {
  if (journal.pending) {
    await complete(journal.pending, task, service, journal);
    yield;
  }
  let isReached = false;
  for await (const portion of partsOf(drafts, journal.last, task.portion)) {
    if (!isReached) await service.reach?.();
    isReached = true;
    const isFinding = task.records === 'deals' && task.operation === 'upsert';
    const described = isFinding ? portion.map(describingContact) : portion;
    const placed = await withParents(service, task.records, described);
    const checked = await withLineFaults(service, task.records, placed);
    const key = journal.keyOf(portion[0]?.row.number ?? 0);
    const part = partFrom(task.records, checked, key, json);
    await journal.begin(part);
    await complete(part, task, service, journal);
    yield;
  }
}

/**
 * The drafts of a sheet's rows.
 * @param order of days with slashes
 */
export async function* draftsOf(
  rows: AsyncIterable<Row>,
  columns: readonly Column[],
  json: Json,
  order?: DayOrder,
): AsyncGenerator<Draft> {
  for await (const row of rows) yield draftOf(row, columns, json, order);
}

async function* partsOf(
  drafts: AsyncIterable<Draft>,
  last: number,
  portion: Portion,
): AsyncGenerator<readonly Draft[]> {
  let part: Draft[] = [];
  let characters = 0;
  for await (const draft of drafts) {
    if (draft.row.number <= last) continue;
    const own = draft.row.cells.reduce((total, { length }) => total + length, 0);
    const isFull = part.length === portion.records || characters + own > portion.characters;
    if (part.length > 0 && isFull) {
      yield part;
      part = [];
      characters = 0;
    }
    part.push(draft);
    characters += own;
  }
  if (part.length > 0) yield part;
}

function partFrom(records: Importable, drafts: readonly Draft[], key: string, json: Json): Part {
  const isWrong = ({ faults }: Draft) => Object.keys(faults).length > 0;
  const good = drafts.filter((draft) => !isWrong(draft));
  const fields = good.map((draft) => ownAndLine(records, draft.fields));
  const lines = fields.map(({ line, own: { created_at } }) =>
    line && created_at !== undefined ? { ...line, created_at } : line,
  );
  return {
    key,
    records: fields.map(({ own }) => json.stringify(own)),
    rows: good.map(({ row }) => row),
    refused: drafts
      .filter(isWrong)
      .map(({ row, faults }) => ({ row, errors: sentences(faults), fields: faults })),
    ...(lines.some((line) => line) ? { lines } : {}),
  };
}

/** Sends a part, and the lines that its rows bring, until all that became of it is known. */
async function complete(
  begun: Part,
  task: Task,
  service: Service,
  journal: Journal,
): Promise<void> {
  let part = begun;
  for (;;) {
    const results = await send(part, task, service);
    const { result, next } = await after(part, results, task, service);
    if (!next) return journal.end(result);
    await journal.begin(next);
    part = next;
  }
}

const send = async (part: Part, task: Task, service: Service): Promise<readonly Result[]> =>
  part.records.length === 0
    ? []
    : service.write(part.stage ? 'deal_products' : task.records, bodyOf(part, task), part.key);

/** What came of a part, and the part that follows it: none does in a dry run, where no deal has an id. */
async function after(part: Part, results: readonly Result[], { isDry }: Task, service: Service) {
  const result = resultOf(part, results);
  if (part.lines && !isDry) return linesAfter(service, part, results, result);
  const next = part.stage?.next;
  return { result, next: next && { ...next, stage: { ...next.stage, before: result } } };
}

/** Spliced together, since each record is JSON already. */
function bodyOf({ records, stage }: Part, { operation, isDry }: Task): string {
  const dry = isDry ? ',"dry_run":true' : '';
  return `{"operation":"${stage?.operation ?? operation}","records":[${records.join(',')}]${dry}}`;
}

const sentences = (fields: FieldMessages): readonly string[] =>
  Object.entries(fields).map(([field, messages]) => `${field}: ${messages.join(', ')}`);
