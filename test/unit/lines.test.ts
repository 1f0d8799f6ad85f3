import { expect, test } from '@jest/globals';
import { Portions } from '../../src/lib/portions.ts';
import { type Return, returned } from '../../src/resources/undo/places.ts';

/** The same by plain lists, at a cost of all records for each move. */
function slowly(lists: ReadonlyMap<number, readonly number[]>, returns: readonly Return[]) {
  const now = new Map([...lists].map(([id, members]) => [id, [...members]]));
  for (const { id, to } of returns.toSorted((one, other) => other.entry - one.entry)) {
    const from = [...now].find(([, members]) => members.includes(id))?.[0];
    const come = to && from !== undefined ? now.get(to.list ?? from) : undefined;
    if (from === undefined || (to && !come)) continue;
    const left = now.get(from) ?? [];
    const at = left.indexOf(id);
    left.splice(at, 1);
    if (to && come) come.splice(Math.min((to.position ?? at + 1) - 1, come.length), 0, id);
  }
  return now;
}

/** The same numbers each time. */
function numbers(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

test.each(Array.from({ length: 20 }, (_, at) => at + 1))(
  'moves among thousands of records are taken back as among plain lists (%i)',
  async (seed) => {
    const below = numbers(seed);
    const sizes = [0, below(5_000), below(3_000), 1];
    let id = 0;
    const lists = new Map(
      sizes.map((size, list) => [list, Array.from({ length: size }, () => ++id)]),
    );
    const place = () => (below(3) === 0 ? below(10) + 1 : below(6_000) + 1);
    const returns = Array.from({ length: 600 }, (_, entry): Return => {
      const of = { entry, id: below(2) === 0 ? 1 + below(id) : 1 + (below(40) % id) };
      if (below(10) === 0) return of;
      return {
        ...of,
        to: {
          list: below(4) === 0 ? undefined : below(5),
          position: below(5) === 0 ? undefined : place(),
        },
      };
    });
    const found = await returned(lists, returns, new Portions(1));
    expect([...found]).toEqual([...slowly(lists, returns)]);
  },
);
