/** What a batch does to each of its records: what single calls do. */
import type { Action } from '../../../auth/policy.ts';
import type { Context, UnitOfWork } from '../../../context/context.ts';
import type { Selection } from '../../../db/sql/shape.ts';
import type { Fault, UnknownInput } from '../../../errors/errors.ts';
import type { Input } from '../fields/input.ts';
import { idAlone } from '../read/record.ts';
import { type RecordResult, valuesOf } from '../read/record_result.ts';
import type { Create, Remove, Update } from '../write/write.ts';

/** One record of a batch. */
export interface Item {
  readonly record: Input;
  /** Names in it that are not fields, to be reported with whatever else is wrong. */
  readonly misplaced: readonly UnknownInput[];
}

/** What became of a record: the status of the single call and the record's id, or why it was refused. */
export type Outcome =
  | { readonly status: 200 | 201 | 204; readonly id: number }
  | { readonly fault: Fault };

/** The use case of a single call. */
export type SingleUseCase = (ctx: Context, account: unknown, record: Input) => Promise<Outcome>;

/**
 * The same for several records in one transaction, with the outcomes that they would have one after the
 * other.
 * @returns undefined where these cannot be written together; nothing is done then
 * @throws {DatabaseError} a broken constraint; nothing is done then, and single calls will show which record
 *   broke it
 */
export type BulkUseCase = (
  ctx: UnitOfWork,
  items: readonly Item[],
) => Promise<readonly Outcome[] | undefined>;

export interface Verb {
  readonly action: Action;
  readonly one: SingleUseCase;
  /** Where it is done sooner together. */
  readonly many?: BulkUseCase;
  /** Names that a record may hold besides the fields of its resource. */
  readonly besides?: readonly string[];
}

const idOf = (record: RecordResult): number => Number(valuesOf(record).id);

export const creates =
  (create: Create): SingleUseCase =>
  async (ctx, account, record) => ({
    status: 201,
    id: idOf(await create(ctx, account, record, idAlone)),
  });

/** @param upsert returns the record under a name of its own, beside whether it was `created` */
export const upserts =
  <T extends { readonly created: boolean }>(
    upsert: (ctx: Context, account: unknown, input: Input, selection: Selection) => Promise<T>,
    recordOf: (upserted: T) => RecordResult,
  ): SingleUseCase =>
  async (ctx, account, record) => {
    const upserted = await upsert(ctx, account, record, idAlone);
    return { status: upserted.created ? 201 : 200, id: idOf(recordOf(upserted)) };
  };

export const updates =
  (update: Update): SingleUseCase =>
  async (ctx, account, { id, ...fields }) => ({
    status: 200,
    id: idOf(await update(ctx, account, id, fields, idAlone)),
  });

export const deletes =
  (remove: Remove): SingleUseCase =>
  async (ctx, account, { id }) => ({ status: 204, id: (await remove(ctx, account, id)).id });
