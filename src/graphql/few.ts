import type { Context } from '../context.ts';

/** Root fields of one request that are at work at once, each with a connection. */
const atOnce = 4;

interface Gate {
  free: number;
  readonly waiting: (() => void)[];
  /** Why one of them failed. */
  fault?: { readonly error: unknown };
}

const gates = new WeakMap<Context, Gate>();

/**
 * Does the work of a root field, once few enough others of the same request are at work. None of
 * them may be null, so one that fails leaves nothing to answer, and none begins after it: who is
 * told that a write failed need not ask which of those behind it did not.
 * @throws what the work throws, or why another failed before
 */
export async function amongFew<T>(context: Context, work: () => T | Promise<T>): Promise<T> {
  const gate: Gate = gates.get(context) ?? { free: atOnce, waiting: [] };
  gates.set(context, gate);
  if (gate.free > 0) gate.free -= 1;
  else await new Promise<void>((resolve) => gate.waiting.push(resolve));
  try {
    if (gate.fault) throw gate.fault.error;
    return await work();
  } catch (error) {
    gate.fault ??= { error };
    throw error;
  } finally {
    const next = gate.waiting.shift();
    if (next) next();
    else gate.free += 1;
  }
}
