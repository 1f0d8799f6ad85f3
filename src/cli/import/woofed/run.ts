/** What all steps of bringing an account's records here know. */
import type { Context } from '../../../context/context.ts';
import type { Fields } from '../../../import/draft.ts';
import type { Result } from '../../../import/service.ts';
import type { Importable } from '../../../import/targets.ts';
import { parseJson, stringifyJson } from '../../../json/json.ts';
import { write } from '../local.ts';
import type { IdMap, Ids, ReferenceKind } from './id_map.ts';
import type { Refusals } from './refusals.ts';
import type { Foreign, ListedKind, Source } from './source.ts';

export interface Run {
  readonly source: Source;
  /** Makes the context of one transaction. */
  readonly contextOf: () => Context;
  /** Whether nothing is to stay of what is written. */
  readonly isDry: boolean;
  /** The key of the custom attribute that holds the id that a record has there. */
  readonly key: string;
  /** Whose deals become those that nobody here created. */
  readonly userId: number;
  /** Users here by their ids there. */
  readonly users: Ids;
  readonly known: Readonly<Record<ReferenceKind, IdMap>>;
  readonly tallies: Tallies;
  readonly refusals: Refusals;
  /** Called after each part that was written. */
  readonly counting: (ctx: Context, records: Importable) => Promise<void>;
  /** Says how far it is. */
  readonly show: () => void;
}

/** What became of the records of a kind. */
export interface Tally {
  created: number;
  /** Those that were here already. */
  there: number;
  refused: number;
}

export type Tallies = Readonly<Record<Exclude<ListedKind, 'users'> | 'events', Tally>>;

export const noTallies = (): Tallies => ({
  contacts: { created: 0, there: 0, refused: 0 },
  products: { created: 0, there: 0, refused: 0 },
  deals: { created: 0, there: 0, refused: 0 },
  events: { created: 0, there: 0, refused: 0 },
});

/** Creates records. @returns what became of each, in their order */
export const create = (
  ctx: Context,
  records: Importable,
  bodies: readonly Fields[],
): Promise<readonly Result[]> =>
  write(ctx, records, parseJson(stringifyJson({ operation: 'create', records: bodies })));

/** What became of a record: its id here, or why it has none. */
export type ImportResult = Pick<Result, 'id' | 'errors'>;

/** Notes what became of records. */
export async function settle(
  { tallies, refusals, show }: Run,
  kind: keyof Tallies,
  records: readonly Foreign[],
  results: readonly ImportResult[],
): Promise<void> {
  const tally = tallies[kind];
  for (const [at, { id }] of records.entries()) {
    const { id: here, errors } = results[at] ?? { id: null };
    if (here === null) refusals.add(kind, id, errors ?? []);
    tally[here === null ? 'refused' : 'created'] += 1;
  }
  await refusals.write();
  show();
}

/** Parts of a list. */
export function* slices<T>(all: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
}

/** At most this many requests to the source are under way at once. */
const width = 4;

/** @returns records with all that comes with them, in their order, without those that are gone */
export async function detailed(
  source: Source,
  kind: ListedKind,
  ids: readonly number[],
): Promise<readonly Foreign[]> {
  const records: (Foreign | undefined)[] = Array(ids.length);
  const queue = ids.entries();
  const work = async () => {
    for (const [at, id] of queue) records[at] = await source.one(kind, id);
  };
  await Promise.all(Array.from({ length: width }, work));
  return records.filter((one) => one !== undefined);
}
