/** Days of a calendar in a time zone, as moments. */

/** Minutes by which the clocks of a zone are ahead of UTC at a moment. */
function minutesAhead(moment: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  }).formatToParts(moment);
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value);
  const shown = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
  );
  return Math.round((shown - moment) / 60_000);
}

/**
 * When a day begins.
 * @param day such as `2026-03-01`
 * @param later days to add
 * @returns ISO 8601 in UTC; empty when the day is none, as while somebody types it
 */
export function startOfDay(day: string, timeZone: string, later = 0): string {
  const midnight = /^\d{4}-\d\d-\d\d$/.test(day)
    ? Date.parse(day) + later * 86_400_000
    : Number.NaN;
  if (Number.isNaN(midnight)) return '';
  // The clocks may be changed between midnight in UTC and midnight there.
  const near = midnight - minutesAhead(midnight, timeZone) * 60_000;
  return new Date(midnight - minutesAhead(near, timeZone) * 60_000).toISOString();
}
