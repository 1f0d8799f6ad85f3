/** An import, part by part, each of which is written once, however often it is cut off. */
import type { Row } from '../csv/read.ts';
import type { Json } from './cells.ts';
import { type Draft, draftOf, type FieldMessages } from './draft.ts';
import type { Column } from './mapping.ts';
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
export interface Refused {
  readonly row: Row;
  readonly errors: readonly string[];
}

/** Some rows, as they are sent. */
export interface Part {
  readonly key: string;
  /** The request's, as JSON; empty where no row made a record. */
  readonly body: string;
  /** Those of the records, in their order. */
  readonly rows: readonly Row[];
  /** Those that made none. */
  readonly refused: readonly Refused[];
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
  /** Is told of a part before it is sent. */
  begin(part: Part): Promise<void>;
  /** Is told of what became of it. */
  end(last: number, counts: Counts, refused: readonly Refused[]): Promise<void>;
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
    await settle(journal.pending, task, service, journal);
    yield;
  }
  for await (const taken of partsOf(drafts, journal.last, task.portion)) {
    const isFinding = task.records === 'deals' && task.operation === 'upsert';
    const described = isFinding ? taken.map(describingContact) : taken;
    const placed = await withParents(service, task.records, described);
    const part = partFrom(placed, task, journal.keyOf(taken[0]?.row.number ?? 0), json);
    await journal.begin(part);
    await settle(part, task, service, journal);
    yield;
  }
}

/** The drafts of a sheet's rows. */
export async function* draftsOf(
  rows: AsyncIterable<Row>,
  columns: readonly Column[],
  json: Json,
): AsyncGenerator<Draft> {
  for await (const row of rows) yield draftOf(row, columns, json);
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

function partFrom(
  drafts: readonly Draft[],
  { operation, isDry }: Task,
  key: string,
  json: Json,
): Part {
  const isWrong = ({ faults }: Draft) => Object.keys(faults).length > 0;
  const good = drafts.filter((draft) => !isWrong(draft));
  const records = good.map(({ fields }) => fields);
  const request = { operation, records, ...(isDry && { dry_run: true }) };
  return {
    key,
    body: good.length > 0 ? json.stringify(request) : '',
    rows: good.map(({ row }) => row),
    refused: drafts.filter(isWrong).map(({ row, faults }) => ({ row, errors: sentences(faults) })),
  };
}

async function settle(part: Part, task: Task, service: Service, journal: Journal): Promise<void> {
  const results = part.body === '' ? [] : await service.write(task.records, part.body, part.key);
  const refused = [...part.refused];
  let created = 0;
  let updated = 0;
  for (const { index, status, errors } of results) {
    const row = part.rows[index];
    if (status === 201) created += 1;
    else if (status < 300) updated += 1;
    else if (row) refused.push({ row, errors: errors ?? [] });
  }
  const ordered = refused.toSorted((a, b) => a.row.number - b.row.number);
  const last = Math.max(
    ...[...part.rows, ...ordered.map(({ row }) => row)].map((row) => row.number),
  );
  await journal.end(last, { created, updated, refused: refused.length }, ordered);
}

const sentences = (fields: FieldMessages): readonly string[] =>
  Object.entries(fields).map(([field, messages]) => `${field}: ${messages.join(', ')}`);
