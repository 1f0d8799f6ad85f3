/** Predicates that take true, or false to ask the opposite. */
import type { ColumnKind } from '../db/sql/shape.ts';
import { type Sql, sql } from '../db/sql/sql.ts';
import type { Predicate, Value } from './predicate.ts';
import { every } from './values.ts';

interface Flag {
  readonly meaning: string;
  readonly on: readonly ColumnKind[];
  /** The conditions for true and for false. */
  readonly asks: readonly [yes: Question, no: Question];
  readonly negative?: 'always' | 'when false';
}

interface Question {
  readonly ofMissing: boolean;
  readonly test: (column: Sql, kind: ColumnKind) => Sql;
}

/** Labels are a list: they are not there when it is empty. */
const hasNone = (x: Sql) => sql`(${x} IS NULL OR ${x} = '{}')`;
const isNull: Question = {
  ofMissing: true,
  test: (x, kind) => (kind === 'labels' ? hasNone(x) : sql`${x} IS NULL`),
};
const isNotNull: Question = {
  ofMissing: false,
  test: (x, kind) => (kind === 'labels' ? sql`${x} <> '{}'` : sql`${x} IS NOT NULL`),
};
const isBlank: Question = {
  ofMissing: true,
  test: (x, kind) => (kind === 'text' ? sql`(${x} IS NULL OR ${x} = '')` : isNull.test(x, kind)),
};
const isPresent: Question = {
  ofMissing: false,
  test: (x, kind) => (kind === 'text' ? sql`${x} <> ''` : isNotNull.test(x, kind)),
};
const isTrue: Question = { ofMissing: false, test: (x) => sql`${x}` };
const isFalse: Question = { ofMissing: false, test: (x) => sql`NOT ${x}` };

// biome-ignore format: one predicate a line reads as the table that it is
const rows: Readonly<Record<string, Flag>> = {
  true: { meaning: 'is true', on: ['boolean'], asks: [isTrue, isFalse] },
  not_true: { meaning: 'is false', on: ['boolean'], asks: [isFalse, isTrue], negative: 'always' },
  false: { meaning: 'is false', on: ['boolean'], asks: [isFalse, isTrue] },
  not_false: { meaning: 'is true', on: ['boolean'], asks: [isTrue, isFalse], negative: 'always' },
  present: { meaning: 'is neither null nor an empty text', on: every, asks: [isPresent, isBlank] },
  blank: { meaning: 'is null or an empty text', on: every, asks: [isBlank, isPresent] },
  null: { meaning: 'is null', on: every, asks: [isNull, isNotNull] },
  not_null: {
    meaning: 'is not null',
    on: every,
    asks: [isNotNull, isNull],
    negative: 'when false',
  },
};

export const flags: readonly Predicate[] = Object.entries(rows).map(
  ([name, { meaning, on, asks, negative }]) => {
    const question = (values: readonly Value[]) => asks[values[0] === true ? 0 : 1];
    return {
      name,
      meaning: `${meaning}; with false, the opposite`,
      takes: 'flag',
      on,
      negative: ([value]) =>
        negative === 'always' || (negative === 'when false' && value === false),
      ofMissing: (values) => question(values).ofMissing,
      test: (column, kind, values) => question(values).test(column, kind),
    };
  },
);
