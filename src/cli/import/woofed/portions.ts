/** Writing records a portion at a time, each record once even while another import brings the same. */
import type { Context } from '../../../context/context.ts';
import { asId } from '../../../lib/integer.ts';
import { lockImports } from '../../../resources/kernel/fields/attribute_values.ts';
import type { Ids } from './id_map.ts';
import { create, type ImportResult, type Run, settle, type Tallies } from './run.ts';
import type { Foreign } from './source.ts';
import { together } from './together.ts';

/** Records that are written in one transaction. */
export const portion = 100;

interface Portion {
  readonly kind: keyof Tallies;
  readonly records: readonly Foreign[];
  /** Whether a record is here; asked for within the transaction, when no other import writes. */
  readonly known: (ctx: Context) => Promise<(id: number) => boolean>;
  /** @returns what became of records that are not here, in their order */
  readonly write: (ctx: Context, fresh: readonly Foreign[]) => Promise<readonly ImportResult[]>;
}

/** @returns the ids there of those that were written */
export async function bringPortion(
  run: Run,
  { kind, records, known, write }: Portion,
): Promise<readonly number[]> {
  if (records.length === 0) return [];
  const { fresh, results } = await together(run.contextOf, run.isDry, async (ctx) => {
    await lockImports(ctx);
    const isHere = await known(ctx);
    const rest = records.filter(({ id }) => !isHere(id));
    return { fresh: rest, results: rest.length === 0 ? [] : await write(ctx, rest) };
  });
  const isWritten = !run.isDry && results.some(({ id }) => id !== null);
  if (isWritten) await run.counting(run.contextOf(), kind);
  run.tallies[kind].there += records.length - fresh.length;
  await settle(run, kind, fresh, results);
  return fresh.flatMap(({ id }, at) => (results[at]?.id ? [id] : []));
}

/**
 * Finds the records here that others there refer to.
 * @param rehearsed what stands for one that a dry run would have written
 */
export const findingIn =
  (ids: Ids, rehearsed: number) =>
  (there: unknown): number | undefined => {
    const here = ids.get(asId(there) ?? 0);
    return here === 0 ? rehearsed : here;
  };

/** What stands for a record in a dry run, which has none that others can refer to. */
export async function standIn(
  { isDry }: Run,
  ctx: Context,
  kind: 'contacts' | 'products',
): Promise<number> {
  const [record] = isDry ? await create(ctx, kind, [{}]) : [];
  return record?.id ?? 0;
}
