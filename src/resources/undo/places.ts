/** Putting records back to where they stood among others. Nothing here knows the database. */
import type { Portions } from '../../lib/portions.ts';
import { Lines, type Lists } from './lines.ts';
import type { Neighbours } from './runs.ts';

/** A move to be taken back, a creation, or a removal. */
export interface Return {
  /** The entry that recorded it. */
  readonly entry: number;
  readonly id: number;
  /** Where it stood; it goes without one. */
  readonly to?: { readonly list?: number | undefined; readonly position?: number | undefined };
  /** Whether it was removed, and so stands nowhere. */
  readonly isBack?: true;
  /** Of one that was removed, what stood before and behind it; undefined where nobody knows. */
  readonly neighbours?: Neighbours | undefined;
}

/**
 * Takes back moves, creations and removals, the newest first, so that lists which nobody else has touched
 * become what they were. In the others a record that moved comes to its number again, or to the end where
 * there are fewer by now; one that was removed between its neighbours, or beside the one that is left there.
 * @param returns of lists that are there
 */
export async function returned(
  lists: Lists,
  returns: readonly Return[],
  portions: Portions,
): Promise<Lists> {
  if (returns.length === 0) return lists;
  const beside = returns.flatMap(({ neighbours = [] }) => neighbours.flatMap((id) => id ?? []));
  const moving = new Set([...returns.map(({ id }) => id), ...beside]);
  const back = new Set(returns.flatMap(({ id, isBack }) => (isBack ? id : [])));
  const lines = await Lines.of(lists, moving, portions);
  const newestFirst = [...runsOf(returns)].sort((one, other) => other.entry - one.entry);
  await portions.each(newestFirst, (run) => {
    for (const [at, one] of run.members.entries()) {
      giveBack(lines, run, one, { previous: run.members[at - 1], back });
    }
  });
  return lines.lists(portions);
}

/** Records that stood side by side when they were removed at once, or one alone. */
interface Run {
  readonly entry: number;
  readonly members: readonly Return[];
  readonly neighbours: Neighbours | undefined;
}

/** Of two that were removed at once, each names the other; of two that were removed in turn, only the first does. */
function* runsOf(returns: readonly Return[]): Generator<Run> {
  const known = new Map(returns.flatMap((one) => (one.neighbours ? [[one.id, one]] : [])));
  const besideOf = (one: Return, side: 0 | 1): Return | undefined => {
    const other = known.get(one.neighbours?.[side] ?? 0);
    return other?.neighbours?.[side === 0 ? 1 : 0] === one.id ? other : undefined;
  };
  for (const first of returns) {
    if (besideOf(first, 0)) continue;
    const members = [first];
    for (let next = besideOf(first, 1); next; next = besideOf(next, 1)) members.push(next);
    const [before = null, behind = null] = [first.neighbours?.[0], members.at(-1)?.neighbours?.[1]];
    const entry = Math.max(...members.map((one) => one.entry));
    yield { entry, members, neighbours: first.neighbours && [before, behind] };
  }
}

/**
 * @param previous the one of the run that was given back before it
 * @param back all that were removed and come back
 */
function giveBack(
  lines: Lines,
  run: Run,
  { id, to, isBack }: Return,
  { previous, back }: { previous: Return | undefined; back: ReadonlySet<number> },
): void {
  const list = to?.list ?? lines.listOf(id);
  if (list === undefined || (to && !lines.has(list))) return;
  if (isBack) {
    const at = placeBeside(lines, list, previous ? [previous.id, null] : run.neighbours);
    lines.insert(list, at ?? (to?.position ?? 1) - 1, id);
    return;
  }
  const at = lines.remove(id);
  if (to && at !== undefined) lines.insert(list, (to.position ?? at + 1) - 1, id);
  // The list in which it was when it was removed is gone, and it is back in one of before that.
  else if (to?.list !== undefined && back.has(id)) {
    lines.insert(list, (to.position ?? Number.POSITIVE_INFINITY) - 1, id);
  }
}

/** How many stand before a place beside these; undefined where nobody knows them. */
function placeBeside(
  lines: Lines,
  list: number,
  neighbours: Neighbours | undefined,
): number | undefined {
  if (!neighbours) return undefined;
  const [before, behind] = neighbours.map((id) =>
    id !== null && lines.listOf(id) === list ? lines.placeOf(id) : undefined,
  );
  return before === undefined ? (behind ?? Number.POSITIVE_INFINITY) : before + 1;
}

/** Positions, first to last, that are shifted as a whole. */
export type Ranges = readonly (readonly [first: number, last: number])[];

/**
 * Which positions of a list shift because others come, go or move.
 * @param moved those that have entries of their own
 */
export async function shifts(
  before: readonly number[],
  after: readonly number[],
  moved: ReadonlySet<number>,
  portions: Portions,
): Promise<{ readonly before: Ranges; readonly after: Ranges }> {
  const positions = new Map<number, number>();
  await portions.each(after.entries(), ([at, id]) => positions.set(id, at + 1));
  const ranges: { from: [number, number]; to: [number, number] }[] = [];
  await portions.each(before.entries(), ([at, id]) => {
    const [was, is] = [at + 1, positions.get(id)];
    if (is === undefined || is === was || moved.has(id)) return;
    const last = ranges.at(-1);
    if (last && last.from[1] === was - 1 && last.to[1] === is - 1) {
      last.from[1] = was;
      last.to[1] = is;
    } else ranges.push({ from: [was, was], to: [is, is] });
  });
  return { before: ranges.map(({ from }) => from), after: ranges.map(({ to }) => to) };
}
