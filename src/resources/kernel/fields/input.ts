/** Reading the input of a request, by the same rules for all resources. */
import { coded, type Problem } from '../../../errors/codes.ts';
import type { Faults } from '../../../errors/errors.ts';

/** The fields of an operation, as the client sent them. */
export type Input = Readonly<Record<string, unknown>>;

/** How long what a field takes may be, for documentation. */
export interface Limits {
  /** Characters of a text, once it is normalised. */
  readonly minLength?: number;
  readonly maxLength?: number;
  /** Members of a list, and characters of each. */
  readonly maxItems?: number;
  readonly maxItemLength?: number;
}

/** To be told what is wrong with a value. */
export type Report = (problem: Problem) => void;

/** Reads one field: turns what a client sent into what is stored, or reports what is wrong. */
export interface Field<T> {
  /** Returns the value, or reports a message and returns undefined. Never given null. */
  read(value: unknown, report: Report): T | undefined;
  /** The value that null sets; a message when the field cannot be cleared. */
  readonly cleared: { readonly value: T } | { readonly message: Problem };
  /** The few values that there are, where it is one of a list. */
  readonly values?: readonly T[];
  readonly limits?: Limits;
  /** Whether an empty text means null, as forms send fields that are not texts and were left empty. */
  readonly emptyIsNull?: true;
  /** Merges a value that is a patch into the one that a record has, or reports a message. */
  merge?(before: T, patch: T, report: Report): T | undefined;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;

/** The values that were sent and could be read; the others are absent. */
export type ParsedInput<F extends Fields> = {
  readonly [K in keyof F]?: F[K] extends Field<infer T> ? T : never;
};

/**
 * Reads the fields that the input has. Unknown ones are ignored, so that a fetched record can be
 * sent back.
 * @param prefix put before the field's name in messages (`contact_attributes.`)
 */
export function readFields<F extends Fields>(
  input: Input,
  fields: F,
  faults: Faults,
  prefix = '',
): ParsedInput<F> {
  const values: Record<string, unknown> = {};
  for (const name in fields) {
    if (!Object.hasOwn(input, name)) continue;
    const field = fields[name];
    const value = input[name];
    if (!field || value === undefined) continue;
    const report = (problem: Problem) => faults.add(prefix + name, problem);
    if (value !== null && !(value === '' && field.emptyIsNull)) {
      const result = field.read(value, report);
      if (result !== undefined) values[name] = result;
    } else if ('message' in field.cleared) {
      report(field.cleared.message);
    } else {
      values[name] = field.cleared.value;
    }
  }
  return values as ParsedInput<F>;
}

/** The same for a new record: also reports required fields that are missing. */
export function readNew<F extends Fields>(input: Input, fields: F, faults: Faults): ParsedInput<F> {
  const values = readFields(input, fields, faults);
  for (const name of Object.keys(fields)) {
    const cleared = values[name] === undefined ? fields[name]?.cleared : undefined;
    if (cleared && 'message' in cleared && !faults.has(name)) faults.add(name, cleared.message);
  }
  return values;
}

/**
 * Reports references that would change but cannot. One that is sent back unchanged counts as left out.
 */
export function refuseMoves(
  values: Readonly<Record<string, unknown>>,
  fixed: Readonly<Record<string, number | null>>,
  faults: Faults,
  problem: Problem = coded('read_only', 'cannot be changed'),
): void {
  for (const [name, value] of Object.entries(fixed)) {
    if (values[name] !== undefined && values[name] !== value) faults.add(name, problem);
  }
}
