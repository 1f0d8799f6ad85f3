const seconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** A length of time in words. */
export const durationHint = 'a length of time such as 90s, 15m, 12h or 30d';

/**
 * Reads `90s`, `15m`, `12h` or `30d`.
 * @returns whole seconds of at least 1 and at most 100 years; undefined for anything else
 */
export function durationSeconds(text: string): number | undefined {
  const match = /^(\d{1,10})([smhd])$/.exec(text);
  const value = Number(match?.[1]) * (seconds[match?.[2] ?? ''] ?? Number.NaN);
  return value >= 1 && value <= 36_525 * 86_400 ? value : undefined;
}
