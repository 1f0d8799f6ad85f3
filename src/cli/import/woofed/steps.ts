/** The steps of bringing an account's records here, each of which can be done again. */
import { asId } from '../../../integer.ts';
import { events as eventRecord } from '../../../resources/events/record.ts';
import { attributedOf } from '../../../resources/kernel/attributed.ts';
import type { KeptPipeline } from '../../../resources/pipelines/keep.ts';
import { type BodyOf, eventBody } from './bodies.ts';
import { type Around, createDeal, Refused } from './deals.ts';
import { placePipelines, type Stages } from './pipelines.ts';
import { create, detailed, type Run, settle, slices } from './run.ts';
import { type Foreign, foreigners } from './source.ts';
import { apart, together } from './together.ts';

/** Records that are written in one transaction. */
const portion = 100;

/** Brings records that belong to nothing else. */
export async function bringAll(
  run: Run,
  kind: 'contacts' | 'products',
  bodyOf: BodyOf,
): Promise<void> {
  const { source, known, key, isDry, contextOf, tallies } = run;
  const ids = known[kind];
  for await (const page of source.pages(kind)) {
    const fresh = page.filter(({ id }) => !ids.has(id));
    tallies[kind].there += page.length - fresh.length;
    for (const part of slices(fresh, portion)) {
      const bodies = part.map((record) => bodyOf(record, key));
      const results = await together(contextOf, isDry, (ctx) => create(ctx, kind, bodies));
      for (const { index, id } of results) {
        const there = part[index]?.id;
        if (there !== undefined && id !== null) ids.set(there, isDry ? 0 : id);
      }
      await settle(run, kind, part, results);
    }
  }
}

/** A deal as far as its place goes. */
export interface Placed {
  readonly id: number;
  readonly stage: number;
  readonly position: number;
}

/** Where all deals are, in the order in which their stages show them. */
export async function placesOfDeals({ source }: Pick<Run, 'source'>): Promise<readonly Placed[]> {
  const places: Placed[] = [];
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
  places: readonly Placed[],
  pipelines: readonly KeptPipeline[],
  stages: Stages | undefined,
): Promise<void> {
  const { source, known, isDry, contextOf, tallies } = run;
  const fresh = places.filter(({ id }) => !known.deals.has(id)).map(({ id }) => id);
  tallies.deals.there += places.length - fresh.length;
  for (const ids of slices(fresh, portion)) {
    const part = await detailed(source, 'deals', ids);
    const results = await together(contextOf, isDry, async (ctx) => {
      const around: Around = {
        stages: stages ?? (await placePipelines(ctx, pipelines)),
        contact: idsIn(known.contacts, isDry ? await standIn(ctx, 'contacts') : 0),
        product: idsIn(known.products, isDry ? await standIn(ctx, 'products') : 0),
      };
      const done: { id: number | null; errors: readonly string[] }[] = [];
      for (const deal of part) {
        done.push(
          await apart(ctx, (own) => createDeal(own, run, deal, around)).then(
            (id) => ({ id, errors: [] }),
            (error: unknown) => {
              if (error instanceof Refused) return { id: null, errors: error.errors };
              throw error;
            },
          ),
        );
      }
      return done;
    });
    results.forEach(({ id }, at) => {
      const there = part[at]?.id;
      if (there !== undefined && id !== null) known.deals.set(there, isDry ? 0 : id);
    });
    await settle(run, 'deals', part, results);
  }
}

/** @param rehearsed what stands for a record that a dry run would have written */
const idsIn = (ids: ReadonlyMap<number, number>, rehearsed: number) => (there: unknown) => {
  const here = ids.get(asId(there) ?? 0);
  return here === 0 ? rehearsed : here;
};

async function standIn(
  ctx: Parameters<typeof create>[0],
  kind: 'contacts' | 'products',
): Promise<number> {
  const [made] = await create(ctx, kind, [{}]);
  return made?.id ?? 0;
}

/** Kinds that a client may write; what the system noted itself is told by what it did to the records. */
const written = new Set<unknown>(['note', 'activity']);

/** What bringing events needs besides. */
export interface Timeline {
  /** The contact behind which it goes on. */
  readonly after: number;
  /** Is told how far it has come. */
  readonly done: (contact: number) => Promise<void>;
  /** Is told of what cannot come. */
  readonly leave: (kind: string) => void;
}

/** Brings notes and activities, which only their contacts tell. */
export async function bringEvents(run: Run, { after, done, leave }: Timeline): Promise<void> {
  const { source, known } = run;
  const contacts = [...known.contacts.keys()].filter((id) => id > after).sort((a, b) => a - b);
  for (const ids of slices(contacts, portion)) {
    const events: Foreign[] = [];
    for (const { id, events: own } of await detailed(source, 'contacts', ids)) {
      for (const event of foreigners(own)) {
        if (written.has(event.kind)) events.push({ ...event, contact_id: id });
        else leave(String(event.kind));
        if (Array.isArray(event.files) && event.files.length > 0) leave('files');
      }
    }
    for (const part of slices(events, portion)) await bringPart(run, part);
    await done(ids.at(-1) ?? after);
  }
}

async function bringPart(run: Run, events: readonly Foreign[]): Promise<void> {
  const { known, key, isDry, contextOf, tallies } = run;
  const contacts = new Set(
    events.flatMap((event) => known.contacts.get(Number(event.contact_id)) || []),
  );
  const here = await attributedOf(contextOf(), eventRecord, key, 'contact_id', [...contacts]);
  const there = new Set(here.map(({ value }) => asId(value)));
  const fresh = events.filter(({ id }) => !there.has(id));
  tallies.events.there += events.length - fresh.length;
  if (fresh.length === 0) return;
  const results = await together(contextOf, isDry, async (ctx) => {
    const contact = idsIn(known.contacts, isDry ? await standIn(ctx, 'contacts') : 0);
    const bodies = fresh.map((event) => {
      const deal = known.deals.get(asId(event.deal_id) ?? 0);
      const owner = deal ? { deal_id: deal } : { contact_id: contact(event.contact_id) };
      return { ...eventBody(event, key), ...owner };
    });
    return create(ctx, 'events', bodies);
  });
  await settle(run, 'events', fresh, results);
}
