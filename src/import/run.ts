/** An import, part by part, each of which is written once, however often it is cut off. */
import type { Row } from '../csv/read.ts';
import type { Json } from './cells.ts';
import { type Draft, draftOf, type FieldMessages, type Fields } from './draft.ts';
import type { Column } from './mapping.ts';
import type { DayOrder } from './moments.ts';
import { describingContact, withParents } from './parents.ts';
import type { Service } from './service.ts';
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

/** A row that became nothing, and why. */
export interface RowRefusal {
  readonly row: Row;
  readonly errors: readonly string[];
  /** The same as messages by field. */
  readonly fields?: Fields;
}

/** Some rows, as they are sent. */
export interface Part {
  readonly key: string;
  /** Each as JSON. */
  readonly records: readonly string[];
  /** Those of the records, in their order. */
  readonly rows: readonly Row[];
  /** Those that made none. */
  readonly refused: readonly RowRefusal[];
}

/** What became of a part. */
export interface PartResult {
  /** The number of its last row. */
  readonly last: number;
  readonly counts: Counts;
  readonly refused: readonly RowRefusal[];
}

export interface Counts {
  readonly created: number;
  readonly updated: number;
  readonly refused: number;
}

export const noCounts: Counts = { created: 0, updated: 0, refused: 0 };

/** Counts of two parts together. */
export const sum = (one: Counts, other: Counts): Counts => ({
  created: one.created + other.created,
  updated: one.updated + other.updated,
  refused: one.refused + other.refused,
});

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
    await journal.end(await settle(journal.pending, task, service));
    yield;
  }
  let isReached = false;
  for await (const taken of partsOf(drafts, journal.last, task.portion)) {
    if (!isReached) await service.reach?.();
    isReached = true;
    const isFinding = task.records === 'deals' && task.operation === 'upsert';
    const described = isFinding ? taken.map(describingContact) : taken;
    const placed = await withParents(service, task.records, described);
    const part = partFrom(placed, journal.keyOf(taken[0]?.row.number ?? 0), json);
    await journal.begin(part);
    await journal.end(await settle(part, task, service));
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
  let taken: Draft[] = [];
  let characters = 0;
  for await (const draft of drafts) {
    if (draft.row.number <= last) continue;
    const own = draft.row.cells.reduce((total, { length }) => total + length, 0);
    const isFull = taken.length === portion.records || characters + own > portion.characters;
    if (taken.length > 0 && isFull) {
      yield taken;
      taken = [];
      characters = 0;
    }
    taken.push(draft);
    characters += own;
  }
  if (taken.length > 0) yield taken;
}

function partFrom(drafts: readonly Draft[], key: string, json: Json): Part {
  const isWrong = ({ faults }: Draft) => Object.keys(faults).length > 0;
  const good = drafts.filter((draft) => !isWrong(draft));
  return {
    key,
    records: good.map(({ fields }) => json.stringify(fields)),
    rows: good.map(({ row }) => row),
    refused: drafts
      .filter(isWrong)
      .map(({ row, faults }) => ({ row, errors: sentences(faults), fields: faults })),
  };
}

/** Sends a part. */
async function settle(part: Part, task: Task, service: Service): Promise<PartResult> {
  const { records, rows, key } = part;
  const results =
    records.length === 0 ? [] : await service.write(task.records, bodyOf(part, task), key);
  const refused = [...part.refused];
  let created = 0;
  let updated = 0;
  for (const { index, status, errors, fields } of results) {
    const row = rows[index];
    if (status === 201) created += 1;
    else if (status < 300) updated += 1;
    else if (row) refused.push({ row, errors: errors ?? [], fields: fields ?? {} });
  }
  return {
    last: lastOf(part),
    counts: { created, updated, refused: refused.length },
    refused: refused.toSorted((a, b) => a.row.number - b.row.number),
  };
}

/** The number of a part's last row. */
export const lastOf = ({ rows, refused }: Part): number =>
  Math.max(...[...rows, ...refused.map(({ row }) => row)].map(({ number }) => number));

/** Spliced together, since each record is JSON already. */
function bodyOf({ records }: Part, { operation, isDry }: Task): string {
  const dry = isDry ? ',"dry_run":true' : '';
  return `{"operation":"${operation}","records":[${records.join(',')}]${dry}}`;
}

const sentences = (fields: FieldMessages): readonly string[] =>
  Object.entries(fields).map(([field, messages]) => `${field}: ${messages.join(', ')}`);
