/**
 * Brings an account of Woofed here. Each record keeps the id that it has there as a custom attribute, in the
 * transaction that creates it: what is here already is known by that, however often an import is cut off, and
 * one that is done again brings what is new.
 */
import type { Service } from '../../../import/service.ts';
import { withProcessLock } from '../../../lib/process_lock.ts';
import { lockImports } from '../../../resources/kernel/fields/attribute_values.ts';
import { countingOnce } from '../local.ts';
import { Line } from '../progress.ts';
import { contactBody, productBody } from './bodies.ts';
import { Place } from './checkpoint.ts';
import { IdMap, type Ids } from './id_map.ts';
import {
  keepIds,
  keptStages,
  mayKeep,
  pipelinesOf,
  placePipelines,
  type Stages,
} from './pipelines.ts';
import { Refusals } from './refusals.ts';
import { noTallies, type Run, type Tallies } from './run.ts';
import type { Source } from './source.ts';
import { bringAll, bringDeals, placesOfDeals } from './steps.ts';
import { bringEvents } from './timeline.ts';
import { together } from './together.ts';

export interface Bringing extends Pick<Run, 'source' | 'contextOf' | 'isDry' | 'key' | 'userId'> {
  readonly service: Service;
  /** Whether pipelines and stages have the same ids here. */
  readonly keepsIds: boolean;
  /** What the files are called that it leaves behind. */
  readonly name: string;
  readonly report: string;
}

/** What became of an account. */
export interface Brought extends Tallies {
  readonly dry_run: boolean;
  /** Addresses of users whom this account does not have: their deals go to the user who imports them. */
  readonly users_missing: readonly string[];
  /** Events that cannot come, by their kind, and files. */
  readonly left_out: Readonly<Record<string, number>>;
  /** The file of records that were refused, if there are any. */
  readonly report: string | null;
}

/** @throws {CommandError} when the source cannot be read */
export const bring = (options: Bringing): Promise<Brought> =>
  // Of two at once one would write what the other does.
  withProcessLock(`${options.name}.import.lock`, () => run(options));

async function run(options: Bringing): Promise<Brought> {
  const { source, contextOf, service, isDry, key, report: path } = options;
  const refusals = new Refusals(path);
  await refusals.clear();
  const { users, missing } = await usersOf(source, service);
  const known = {
    contacts: new IdMap('contacts', key),
    products: new IdMap('products', key),
    deals: new IdMap('deals', key),
  };
  for (const kind of Object.values(known)) await kind.read(contextOf());
  const tallies = noTallies();
  const line = new Line();
  const show = () => line.say(lineOf(tallies));
  const own: Run = { ...options, users, known, tallies, refusals, show, counting: countingOnce() };

  const places = await placesOfDeals(own);
  const samples = new Map(places.map(({ id, stage }) => [stage, id]));
  const pipelines = await pipelinesOf(source, samples);
  const stages = await stagesOf(options, pipelines);
  await bringAll(own, 'contacts', contactBody);
  await bringAll(own, 'products', productBody);
  await bringDeals(own, places, pipelines, stages);
  const rest = await events(options, own);
  line.end();
  return {
    dry_run: isDry,
    ...tallies,
    users_missing: missing,
    left_out: rest,
    report: refusals.any ? path : null,
  };
}

const lineOf = (tallies: Tallies): string =>
  Object.entries(tallies)
    .map(([kind, { created, there, refused }]) => {
      return `${kind}: ${created} created, ${there} there, ${refused} refused`;
    })
    .join('; ');

/** @returns undefined in a dry run, which has them in each of its transactions alone */
async function stagesOf(
  { contextOf, isDry, keepsIds }: Bringing,
  pipelines: Parameters<typeof placePipelines>[1],
): Promise<Stages | undefined> {
  if (keepsIds) await mayKeep(contextOf(), pipelines);
  if (isDry) return undefined;
  return together(contextOf, false, async (ctx) => {
    await lockImports(ctx);
    if (!keepsIds) return placePipelines(ctx, pipelines);
    await keepIds(ctx, pipelines);
    return keptStages(pipelines);
  });
}

async function events(
  { name, key, isDry, contextOf }: Bringing,
  own: Run,
): Promise<Readonly<Record<string, number>>> {
  const tally = new Map<string, number>();
  const { accountId } = contextOf().viewer;
  const place = new Place(`${name}.import.json`, `${name} ${accountId} ${key}`);
  await bringEvents(own, {
    after: isDry ? 0 : await place.read(),
    done: async (contact) => {
      if (!isDry) await place.write(contact);
    },
    leave: (kind) => tally.set(kind, (tally.get(kind) ?? 0) + 1),
  });
  if (!isDry) await place.forget();
  return Object.fromEntries(tally);
}

/** Users are those with the same address: they sign in here, and so are made here. */
async function usersOf(
  source: Source,
  service: Service,
): Promise<{ readonly users: Ids; readonly missing: readonly string[] }> {
  const users = new Map<number, number>();
  const missing: string[] = [];
  for await (const page of source.pages('users')) {
    const there = page.map(({ id, email }) => ({ id, email: String(email).trim().toLowerCase() }));
    const emails = there.map(({ email }) => email);
    const here = await service.find('users', { email_in: emails });
    const ids = new Map(here.map((user) => [user.email, Number(user.id)]));
    for (const { id, email } of there) {
      const userId = ids.get(email);
      if (userId === undefined) missing.push(email);
      else users.set(id, userId);
    }
  }
  return { users, missing };
}
