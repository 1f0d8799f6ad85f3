/**
 * Streams stay open, and browsers have six connections for a host, in all tabs together: if streams took all six,
 * nothing else would get through.
 */
const places = [1, 2, 3, 4].map((number) => `crm.live.${number}`);

/**
 * Takes one of the places for streams, which all tabs of a browser share.
 * @returns how to give it back; undefined while none is free
 */
export async function takePlace(): Promise<(() => void) | undefined> {
  for (const name of places) {
    const giveBack = await hold(name);
    if (giveBack) return giveBack;
  }
  return undefined;
}

/** Holds a lock until what it resolves to is called; a tab that closes gives it back by itself. */
const hold = (name: string) =>
  new Promise<(() => void) | undefined>((resolve) => {
    void navigator.locks.request(name, { ifAvailable: true }, (lock) =>
      lock ? new Promise<void>((giveBack) => resolve(giveBack)) : resolve(undefined),
    );
  });
