/** What a worker does not need any more once it has started. */
import { Session } from 'node:inspector/promises';

/**
 * For a worker's environment: the C library gives large blocks back to the system when they are freed. Left alone it
 * learns from those of the start to keep them. In bytes, as glibc has it at the beginning; what an operator
 * sets counts instead.
 */
export const allocation = {
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
} as const;

/**
 * Gives back the room for new objects that loading the program has grown to its limit; requests let it grow again as
 * far as they need it. V8 shrinks it only in a collection that also discards compiled code, and here nothing is
 * compiled yet that requests run. Takes about a tenth of a second.
 */
export async function giveBackStartMemory(): Promise<void> {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.collectGarbage');
  session.disconnect();
}
