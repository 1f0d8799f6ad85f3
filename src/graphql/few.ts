import type { Context } from '../context.ts';
import { turnstile } from '../turnstile.ts';

/** Root fields of one request that are at work at once, each with a connection. */
const atOnce = 4;

interface Gate {
  free: number;
  /** Whether each has so much to read that it passes the turnstile. */
  readsMuch: boolean;
  readonly waiting: (() => void)[];
  /** Why one of them failed. */
  fault?: { readonly error: unknown };
}

const gates = new WeakMap<Context, Gate>();

function gateOf(context: Context): Gate {
  const gate = gates.get(context) ?? { free: atOnce, readsMuch: false, waiting: [] };
  gates.set(context, gate);
  return gate;
}

/** Has the root fields of a request leave the process to others while each reads what it is given. */
export function readOneByOne(context: Context): void {
  gateOf(context).readsMuch = true;
}

/**
 * Does the work of a root field, once few enough others of the same request are at work. None of
 * them may be null, so one that fails leaves nothing to answer, and none begins after it: who is
 * told that a write failed need not ask which of those behind it did not.
 * @throws what the work throws, or why another failed before
 */
export async function amongFew<T>(context: Context, work: () => T | Promise<T>): Promise<T> {
  const gate = gateOf(context);
  if (gate.free > 0) gate.free -= 1;
  else await new Promise<void>((resolve) => gate.waiting.push(resolve));
  try {
    if (gate.readsMuch) await turnstile.pass(context.viewer.accountId);
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
