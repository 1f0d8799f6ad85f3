/**
 * The ranks of a stage's deals when many of them come, go and move at once. Nothing here knows the
 * database.
 */
import { compacted, withPiecesByRule } from '../deals/positions/compaction.ts';
import { evenly, type Order, ordered, plainOrder } from '../deals/positions/pieces.ts';

/** How a stage's deals stand afterwards, and the ranks of those that get another one. */
export interface StageRanks {
  readonly order: Order;
  readonly ranks: ReadonlyMap<number, number>;
}

/**
 * Gives ranks to the deals that moved; the others keep theirs, unless there is no room between two of them.
 * @param members the stage's deals in their new order
 * @param known ranks of those that did not move, which ascend in this order
 */
export function ranked(members: readonly number[], known: ReadonlyMap<number, number>): StageRanks {
  const ranks = rankedBetween(members, known) ?? members.map((_, at) => at + 1);
  const changed = members.flatMap((id, at) => {
    const rank = ranks[at] ?? 0;
    return known.get(id) === rank ? [] : [[id, rank] as const];
  });
  return { order: compacted(orderOf(ranks)), ranks: new Map(changed) };
}

/** @returns undefined when ranks between two neighbours would become too fine */
function rankedBetween(
  members: readonly number[],
  known: ReadonlyMap<number, number>,
): readonly number[] | undefined {
  const ranks: number[] = [];
  while (ranks.length < members.length) {
    const first = ranks.length;
    const rank = known.get(members[first] ?? 0);
    if (rank !== undefined) {
      ranks.push(rank);
      continue;
    }
    let end = first;
    while (end < members.length && !known.has(members[end] ?? 0)) end += 1;
    const run = between(ranks.at(-1), known.get(members[end] ?? 0), end - first);
    if (!run) return undefined;
    for (let at = first; at < end; at += 1) ranks.push(run.rank + (at - first) * run.step);
  }
  return ranks;
}

/** Ranks, `size` of them, behind `lower` and before `upper`, where these are given. */
function between(lower: number | undefined, upper: number | undefined, size: number) {
  if (lower !== undefined && upper !== undefined) return evenly(lower, upper, size);
  if (upper !== undefined) return { rank: Math.ceil(upper) - size, step: 1 };
  return { rank: Math.floor(lower ?? 0) + 1, step: 1 };
}

/** The pieces in which these ranks, ascending, follow a rule. */
function orderOf(ranks: readonly number[]): Order {
  const [first] = ranks;
  const count = ranks.length;
  if (first === undefined) return plainOrder(0);
  const end = Math.floor(ranks.at(-1) ?? 0) + 1;
  const uncounted = ordered(count, [
    { rank: first, place: 1, step: 0 },
    { rank: end, place: count + 1, step: 1 },
  ]);
  const { pieces } = withPiecesByRule(uncounted, { from: first, to: end }, ranks);
  const before = pieces.at(-2);
  const isOne =
    before?.step === 1 &&
    Number.isInteger(before.rank) &&
    before.rank + count + 1 - before.place === end;
  return isOne ? ordered(count, pieces.slice(0, -1)) : ordered(count, pieces);
}
