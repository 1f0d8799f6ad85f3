/** Putting records back to where they stood among others. Nothing here knows the database. */
import type { Portions } from '../kernel/portions.ts';
import { Lines, type Lists } from './lines.ts';

/** A move to be taken back, or a creation. */
export interface Return {
  /** The entry that recorded it. */
  readonly entry: number;
  readonly id: number;
  /** Where it stood; it goes without one. */
  readonly to?: { readonly list?: number | undefined; readonly position?: number | undefined };
}

/**
 * Takes back moves and creations, the newest first, so that lists which nobody else has touched
 * become what they were. In the others a record comes to its number again, or to the end where
 * there are fewer by now.
 * @param returns of lists that are there
 */
export async function returned(
  lists: Lists,
  returns: readonly Return[],
  portions: Portions,
): Promise<Lists> {
  if (returns.length === 0) return lists;
  const lines = await Lines.of(lists, new Set(returns.map(({ id }) => id)), portions);
  const newestFirst = [...returns].sort((one, other) => other.entry - one.entry);
  await portions.each(newestFirst, ({ id, to }) => {
    const list = to?.list ?? lines.listOf(id);
    if (list === undefined || (to && !lines.has(list))) return;
    const at = lines.remove(id);
    if (to && at !== undefined) lines.insert(list, (to.position ?? at + 1) - 1, id);
  });
  return lines.lists(portions);
}

/** Positions, first to last, that are shifted as a whole. */
export type Ranges = readonly (readonly [first: number, last: number])[];

/**
 * Which positions of a list shift because others come, go or move.
 * @param moved those that have entries of their own
 */
export function shifts(
  before: readonly number[],
  after: readonly number[],
  moved: ReadonlySet<number>,
): { readonly before: Ranges; readonly after: Ranges } {
  const positions = new Map(after.map((id, at) => [id, at + 1]));
  const ranges: { from: [number, number]; to: [number, number] }[] = [];
  for (const [at, id] of before.entries()) {
    const [was, is] = [at + 1, positions.get(id)];
    if (is === undefined || is === was || moved.has(id)) continue;
    const last = ranges.at(-1);
    if (last && last.from[1] === was - 1 && last.to[1] === is - 1) {
      last.from[1] = was;
      last.to[1] = is;
    } else ranges.push({ from: [was, was], to: [is, is] });
  }
  return { before: ranges.map(({ from }) => from), after: ranges.map(({ to }) => to) };
}
