/** Rows that are sent at once, and what becomes of them. */
import type { Row } from '../csv/read.ts';
import type { Fields } from './draft.ts';
import type { Result } from './service.ts';

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
  /** Of each record the line that its row brings, null where it brings none: sent once the records have ids. */
  readonly lines?: readonly (Fields | null)[];
  /** Only where the records are such lines. */
  readonly stage?: LineStage;
}

/** Lines are sent in a part of their own, so that what was sent and not answered is always the same. */
export interface LineStage {
  readonly operation: 'create' | 'update';
  /** What came of the rows so far, their deals above all. */
  readonly before: PartResult;
  readonly next?: LinePart;
}

export interface LinePart extends Part {
  readonly stage: LineStage;
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

/** The number of a part's last row. */
export const lastOf = ({ rows, refused, stage }: Part): number =>
  stage?.before.last ??
  Math.max(...[...rows, ...refused.map(({ row }) => row)].map(({ number }) => number));

/** @param results none, where nobody will hear what became of the records */
export function resultOf(part: Part, results: readonly Result[]): PartResult {
  const { rows, refused, stage } = part;
  const own = results.flatMap(({ index, status, errors, fields }) => {
    const row = rows[index];
    if (status < 300 || !row) return [];
    const refusal = { row, errors: errors ?? [], fields: fields ?? {} };
    return stage ? ofLine(refusal) : refusal;
  });
  if (stage) return withRefused(stage.before, own);
  const created = results.filter(({ status }) => status === 201).length;
  const written = results.filter(({ status }) => status < 300).length;
  const counts = { ...noCounts, created, updated: written - created };
  return withRefused({ last: lastOf(part), counts, refused: [] }, [...refused, ...own]);
}

/** The result with further rows among the refused. */
export function withRefused(result: PartResult, more: readonly RowRefusal[]): PartResult {
  const refused = [...result.refused, ...more].toSorted((a, b) => a.row.number - b.row.number);
  return { ...result, counts: { ...result.counts, refused: refused.length }, refused };
}

const onlyDeal = 'The deal was written, but not its product';

/** Says of a refused line that its deal is there: who sends the row again would make a second one. */
export const ofLine = ({ row, errors, fields }: RowRefusal): RowRefusal => ({
  row,
  errors: [onlyDeal, ...errors],
  fields: { base: [onlyDeal], ...fields },
});
