/** Bringing contacts and products, and deals to them. */
import type { Context } from '../../../context/context.ts';
import { asId } from '../../../lib/integer.ts';
import type { KeptPipeline } from '../../../resources/pipelines/upsert.ts';
import type { BodyOf } from './bodies.ts';
import { createDeal, type DealReferences, DealRefusal } from './deals.ts';
import type { ReferenceKind } from './id_map.ts';
import { placePipelines, type Stages } from './pipelines.ts';
import { bringPortion, findingIn, portion, standIn } from './portions.ts';
import { create, detailed, type ImportResult, type Run, slices } from './run.ts';
import type { Foreign } from './source.ts';
import { inSavepoint } from './together.ts';

/** Brings records that belong to nothing else. */
export async function bringAll(
  run: Run,
  kind: 'contacts' | 'products',
  bodyOf: BodyOf,
): Promise<void> {
  for await (const page of run.source.pages(kind)) {
    const fresh = freshOf(run, kind, page);
    for (const records of slices(fresh, portion)) {
      await bringReferred(run, kind, records, (ctx, rest) =>
        create(
          ctx,
          kind,
          rest.map((record) => bodyOf(record, run.key)),
        ),
      );
    }
  }
  await run.known[kind].read(run.contextOf());
}

/** Those that are not known to be here, without a transaction for those that are. */
function freshOf<T extends { readonly id: number }>(
  { known, tallies }: Run,
  kind: ReferenceKind,
  records: readonly T[],
): readonly T[] {
  const fresh = records.filter(({ id }) => !known[kind].ids.has(id));
  tallies[kind].there += records.length - fresh.length;
  return fresh;
}

async function bringReferred(
  run: Run,
  kind: ReferenceKind,
  records: readonly Foreign[],
  write: (ctx: Context, fresh: readonly Foreign[]) => Promise<readonly ImportResult[]>,
): Promise<void> {
  const own = run.known[kind];
  const known = async (ctx: Context) => {
    await own.read(ctx);
    return (id: number) => own.ids.has(id);
  };
  const written = await bringPortion(run, { kind, records, known, write });
  if (run.isDry) for (const id of written) own.rehearse(id);
}

/** A deal as far as its place goes. */
interface DealPlace {
  readonly id: number;
  readonly stage: number;
  readonly position: number;
}

/** Where all deals are, in the order in which their stages show them. */
export async function placesOfDeals({ source }: Run): Promise<readonly DealPlace[]> {
  const places: DealPlace[] = [];
  for await (const page of source.pages('deals')) {
    for (const { id, stage_id, position } of page) {
      places.push({ id, stage: asId(stage_id) ?? 0, position: Number(position) || 0 });
    }
  }
  return places.sort((a, b) => a.stage - b.stage || a.position - b.position || a.id - b.id);
}

/**
 * Brings deals: those of a stage in their order, so that each lands behind those before it.
 * @param stages undefined in a dry run, which makes the pipelines anew in each transaction
 */
export async function bringDeals(
  run: Run,
  places: readonly DealPlace[],
  pipelines: readonly KeptPipeline[],
  stages: Stages | undefined,
): Promise<void> {
  const { known } = run;
  for (const part of slices(freshOf(run, 'deals', places), portion)) {
    const ids = part.map(({ id }) => id);
    const records = await detailed(run.source, 'deals', ids);
    await bringReferred(run, 'deals', records, async (ctx, fresh) => {
      const around: DealReferences = {
        stages: stages ?? (await placePipelines(ctx, pipelines)),
        contact: findingIn(known.contacts.ids, await standIn(run, ctx, 'contacts')),
        product: findingIn(known.products.ids, await standIn(run, ctx, 'products')),
      };
      const results: ImportResult[] = [];
      for (const deal of fresh) results.push(await bringDeal(ctx, run, deal, around));
      return results;
    });
  }
  await known.deals.read(run.contextOf());
}

const bringDeal = (
  ctx: Context,
  run: Run,
  deal: Foreign,
  around: DealReferences,
): Promise<ImportResult> =>
  inSavepoint(ctx, (own) => createDeal(own, run, deal, around)).then(
    (id) => ({ id }),
    (error: unknown) => {
      if (error instanceof DealRefusal) return { id: null, errors: error.errors };
      throw error;
    },
  );
