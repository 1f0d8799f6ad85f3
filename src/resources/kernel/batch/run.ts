/** Doing the same to many records at once. */
import { authorize, type Subject } from '../../../auth/policy.ts';
import type { Context } from '../../../context/context.ts';
import { rehearse } from '../../../context/dry_run.ts';
import type { FieldCode } from '../../../errors/codes.ts';
import {
  type Conflict,
  codes,
  Fault,
  type FieldCodes,
  type FieldMessages,
} from '../../../errors/errors.ts';
import type { Fields } from '../fields/input.ts';
import type { Resource } from '../resource.ts';
import { asOne, inParts } from './parts.ts';
import { type BatchArguments, readBatchRequest, type Verbs } from './request.ts';
import type { Item, Outcome, Verb } from './verb.ts';

/** What became of one record. */
export interface BatchResult {
  /** Its place in the batch, from 0. */
  readonly index: number;
  /** As the single call answers. */
  readonly status: number;
  /** Of the record written; null where there is none. */
  readonly id: number | null;
  /** Of a refusal as a whole; null where the record was written. */
  readonly code: string | null;
  readonly errors: readonly string[] | null;
  readonly fields: FieldMessages | null;
  readonly codes: FieldCodes | null;
  readonly conflict: Conflict | null;
}

export interface BatchDone {
  readonly results: readonly BatchResult[];
  readonly summary: {
    readonly created: number;
    readonly updated: number;
    readonly deleted: number;
    readonly failed: number;
  };
}

/** A use case that does the same to many records. */
export type RunBatch = (ctx: Context, account: unknown, args: BatchArguments) => Promise<BatchDone>;

/**
 * Composes the batch call of a resource, which does to many records what single calls do to one. It throws
 * VALIDATION_FAILED for an operation that these records do not have, for more than 1,000 of them, and for an
 * atomic batch in which a record is refused.
 */
export function batching(resource: Resource<Fields, Subject>, verbs: Verbs): RunBatch {
  const fields = Object.keys(resource.fields);
  return async (ctx, account, args) => {
    authorize(ctx.viewer, account, `${resource.one}.create`);
    const { verb, items, atomic, isDry } = readBatchRequest(ctx, args, verbs, fields);
    authorize(ctx.viewer, account, verb.action);
    const run = (on: Context) => applied(on, resource, verb, items, atomic);
    return isDry ? rehearse(ctx, run) : run(ctx);
  };
}

async function applied(
  ctx: Context,
  { one }: Resource<Fields, Subject>,
  verb: Verb,
  items: readonly (Item | Fault)[],
  atomic: boolean,
): Promise<BatchDone> {
  const known = items.filter((item): item is Item => !(item instanceof Fault));
  // What single calls read of a record is its id.
  const within = { ...ctx, ownSelection: true, misplaced: [] };
  const outcomes = atomic
    ? await asOne(within, verb, known, known.length < items.length)
    : await inParts(within, verb, known);
  const written = outcomes.values();
  const all = items.map((item): Outcome => {
    return item instanceof Fault ? { fault: item } : (written.next().value ?? missing());
  });
  if (atomic) refuseFaults(all.map(withoutHolder(`${one}_id`, createdBy(all))));
  return toResponse(all);
}

const createdBy = (outcomes: readonly Outcome[]): ReadonlySet<number | undefined> =>
  new Set(outcomes.flatMap((one) => ('status' in one && one.status === 201 ? one.id : [])));

/**
 * Removes from a refusal the id of a conflicting record that the batch itself created and that was undone.
 * @param name of the id in the conflict
 * @param gone ids of the records that were undone
 */
const withoutHolder =
  (name: string, gone: ReadonlySet<number | undefined>) =>
  (outcome: Outcome): Outcome => {
    if (!('fault' in outcome) || !gone.has(outcome.fault.conflict?.[name])) return outcome;
    const { code, messages, fields, fieldCodes } = outcome.fault;
    return { fault: new Fault(code, messages, fields, undefined, fieldCodes) };
  };

const missing = (): never => {
  throw new Error('a record of the batch has no outcome');
};

/** @throws {Fault} VALIDATION_FAILED with all that is wrong, by the places of the records */
function refuseFaults(outcomes: readonly Outcome[]): void {
  const messages: string[] = [];
  const byField: Record<string, readonly string[]> = {};
  const codesByField: Record<string, readonly FieldCode[]> = {};
  let holder: Conflict | undefined;
  outcomes.forEach((outcome, index) => {
    if (!('fault' in outcome)) return;
    const place = `records.${index}`;
    const { fault } = outcome;
    messages.push(...fault.messages.map((message) => `${place}: ${message}`));
    holder ??= fault.conflict;
    if (!fault.fields) {
      byField[place] = fault.messages;
      codesByField[place] = fault.messages.map(() => 'invalid');
    }
    for (const [field, problems] of Object.entries(fault.fields ?? {})) {
      const name = `${place}.${field}`;
      byField[name] = problems;
      codesByField[name] = fault.fieldCodes?.[field] ?? problems.map(() => 'invalid');
    }
  });
  if (messages.length > 0)
    throw new Fault('VALIDATION_FAILED', messages, byField, holder, codesByField);
}

const unrefused = { code: null, errors: null, fields: null, codes: null, conflict: null };

const words = { 200: 'updated', 201: 'created', 204: 'deleted' } as const;

function toResponse(outcomes: readonly Outcome[]): BatchDone {
  const summary = { created: 0, updated: 0, deleted: 0, failed: 0 };
  const results = outcomes.map((outcome, index): BatchResult => {
    if ('fault' in outcome) {
      summary.failed += 1;
      const { fault } = outcome;
      const { status, code } = codes[fault.code];
      const { fields = null, fieldCodes = null, conflict = null } = fault;
      return {
        index,
        status,
        id: null,
        code,
        errors: fault.messages,
        fields,
        codes: fieldCodes,
        conflict,
      };
    }
    summary[words[outcome.status]] += 1;
    const { status, id } = outcome;
    return { index, status, id, ...unrefused };
  });
  return { results, summary };
}
