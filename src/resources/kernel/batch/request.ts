import { type Context, faultsOf } from '../../../context/context.ts';
import { blank, coded } from '../../../errors/codes.ts';
import { noField } from '../../../errors/did_you_mean.ts';
import { type Fault, invalid, maxNamed, type UnknownInput } from '../../../errors/errors.ts';
import { isJsonObject, type JsonObject } from '../../../json/json.ts';
import { flag, oneOf, required } from '../fields/fields.ts';
import { type Field, type Input, readNew } from '../fields/input.ts';
import type { Item, Verb } from './verb.ts';

/** A batch, as a client asks for it. */
export interface BatchArguments {
  readonly operation?: unknown;
  readonly records?: unknown;
  readonly atomic?: unknown;
  readonly dry_run?: unknown;
}

export const operations = ['create', 'upsert', 'update', 'delete'] as const;

type Operation = (typeof operations)[number];

export type Verbs = Readonly<Partial<Record<Operation, Verb>>>;

/** A batch has at most this many records. */
export const maxRecords = 1000;

const records: Field<readonly unknown[]> = {
  cleared: { message: blank },
  read: (value, report) => {
    if (!Array.isArray(value)) return void report('must be a list of objects');
    if (value.length <= maxRecords) return value;
    return void report(
      coded('too_many', `has more than ${maxRecords.toLocaleString('en')} records`),
    );
  },
};

/** What is asked for. */
export interface BatchRequest {
  readonly verb: Verb;
  /** The records in their order; in place of an invalid one, what is wrong with it. */
  readonly items: readonly (Item | Fault)[];
  readonly atomic: boolean;
  /** Whether nothing is written, and the answer says what would have happened. */
  readonly isDry: boolean;
}

/**
 * Reads a batch.
 * @param verbs those that records of this kind have
 * @param fields names that a record may hold
 * @throws {Fault} VALIDATION_FAILED for an unknown operation, and for records that are not a list or too many
 */
export function readBatchRequest(
  ctx: Context,
  args: BatchArguments,
  verbs: Verbs,
  fields: readonly string[],
): BatchRequest {
  const faults = faultsOf(ctx);
  const [first, ...others] = operations.filter((operation) => verbs[operation]);
  if (!first) throw new Error('nothing can be done to these records');
  const operation = required(oneOf([first, ...others]));
  const input: Input = { ...args };
  const request = readNew(input, { operation, records, atomic: flag, dry_run: flag }, faults);
  faults.throwIfAny();
  const verb = request.operation && verbs[request.operation];
  if (!verb || !request.records) throw new Error('what is required was not refused');
  const isOfOne = request.operation === 'update' || request.operation === 'delete';
  const names = new Set(['id', ...fields, ...(verb.besides ?? [])]);
  const items = request.records.map((record, index) => {
    if (!isJsonObject(record)) return invalid('body', 'must be an object');
    if (isOfOne && isBlank(record['id'])) return invalid('id', blank);
    const misplaced = ctx.misplacedIn?.get(index) ?? unknownIn(record, names);
    return { record, misplaced };
  });
  return { verb, items, atomic: request.atomic ?? false, isDry: request.dry_run ?? false };
}

const isBlank = (id: unknown): boolean => id === undefined || id === null || id === '';

const none: readonly UnknownInput[] = [];

function unknownIn(record: JsonObject, names: ReadonlySet<string>): readonly UnknownInput[] {
  let unknown: string[] | undefined;
  for (const name in record) if (!names.has(name)) (unknown ??= []).push(name);
  if (!unknown) return none;
  return unknown.slice(0, maxNamed).map((name) => ({ name, message: noField(name, names) }));
}
