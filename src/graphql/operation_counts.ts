/** How often operations were run in this process, for operators. */

/** The name of all documents that clients write themselves, of which there is no end. */
export const ofClients = 'client';

/** How often an operation was run. */
export interface OperationCount {
  succeeded: number;
  /** With an error in the answer. */
  failed: number;
}

const counts = new Map<string, OperationCount>();

/** By the root field of a stored operation, or {@link ofClients}. */
export const operationCounts: ReadonlyMap<string, OperationCount> = counts;

/** @param name of a stored operation, or {@link ofClients} */
export function noteOperation(name: string, hasFailed: boolean): void {
  let count = counts.get(name);
  if (!count) {
    count = { succeeded: 0, failed: 0 };
    counts.set(name, count);
  }
  if (hasFailed) count.failed += 1;
  else count.succeeded += 1;
}
