/** When a delivery is tried again. */

const minute = 60;
const hour = 60 * minute;

/** Seconds after the first failure, the second, and so on; after the last of them it has failed. */
const pauses: readonly number[] = [
  5,
  5 * minute,
  30 * minute,
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hour),
];

/** After this many days of nothing but failures a webhook is switched off. */
export const patienceDays = 5;

/**
 * @param attempts how many have failed, this one included
 * @returns seconds until the next attempt; null when there is none
 */
export function pauseAfter(attempts: number, event: string): number | null {
  // A person who tests a webhook wants to know now.
  return event === 'webhook.test' ? null : (pauses[attempts - 1] ?? null);
}
