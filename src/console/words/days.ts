/** Days and clocks of a time zone, and the moments that they are. */

/** By time zone: making one takes longer than everything else that is done with it. */
const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone);
  if (known) return known;
  const clock = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  clocks.set(timeZone, clock);
  return clock;
}

/** Minutes by which the clocks of a zone are ahead of UTC at a moment. */
function minutesAhead(moment: number, timeZone: string): number {
  const parts = clockOf(timeZone).formatToParts(moment);
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value);
  const shown = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
  );
  // Clocks are read to the minute, so the seconds of the moment must not count.
  return Math.round((shown - Math.floor(moment / 60_000) * 60_000) / 60_000);
}

/**
 * A moment as the clocks of a zone show it.
 * @returns such as `2026-03-01T09:30`
 */
export function clockAt(moment: number, timeZone: string): string {
  const shown = moment + minutesAhead(moment, timeZone) * 60_000;
  return new Date(shown).toISOString().slice(0, 16);
}

/**
 * When the clocks of a zone show a time.
 * @param clock such as `2026-03-01T09:30`
 * @returns ISO 8601 in UTC
 */
export function momentOf(clock: string, timeZone: string): string {
  const shown = Date.parse(`${clock}Z`);
  // The clocks may be changed between that time in UTC and the same there.
  const near = shown - minutesAhead(shown, timeZone) * 60_000;
  return new Date(shown - minutesAhead(near, timeZone) * 60_000).toISOString();
}

/**
 * When a day begins.
 * @param day such as `2026-03-01`
 * @param later days to add
 * @returns ISO 8601 in UTC; empty for an invalid day, such as one that is still being typed
 */
export function startOfDay(day: string, timeZone: string, later = 0): string {
  const midnight = /^\d{4}-\d\d-\d\d$/.test(day)
    ? Date.parse(day) + later * 86_400_000
    : Number.NaN;
  if (Number.isNaN(midnight)) return '';
  return momentOf(new Date(midnight).toISOString().slice(0, 16), timeZone);
}
