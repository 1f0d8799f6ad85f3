/** Whole numbers from 0 that look random and are the same in each run. */
export function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    // The generator of "Minimal Standard" (Park and Miller).
    state = (state * 48_271 + 1) % 2_147_483_647;
    return state % below;
  };
}
