/** Keys of changes, by which the service knows one that is sent again. */

/** Those of which nobody knows whether they were made, by what was sent. */
const open = new Map<string, string>();

/** What came of a change, as far as it says whether it was made. */
const unknown: readonly string[] = ['OFFLINE', 'UNAVAILABLE', 'CONFLICT', 'INTERNAL_SERVER_ERROR'];

/** A key for a change: that of before, where the very same was sent and nothing was heard of it. */
export const keyFor = (sent: string): string => open.get(sent) ?? crypto.randomUUID();

/** Keeps the key of a change in mind until it is known what came of it. */
export function noteOutcome(sent: string, key: string, code: string | undefined): void {
  if (code !== undefined && unknown.includes(code)) open.set(sent, key);
  // After any other change the same one means something else: back to where it was, say.
  else open.clear();
}
