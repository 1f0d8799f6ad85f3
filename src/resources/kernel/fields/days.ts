/** Days, and the zones whose clocks they are told by, as arguments name them. */
import { text } from './fields.ts';
import type { Field } from './input.ts';
import { notATimeZone, readTimeZone } from './time_zone.ts';

export const day: Field<string> = text({
  check: (value) => {
    const midnight = new Date(`${value}T00:00:00Z`);
    const exists =
      !Number.isNaN(midnight.getTime()) && midnight.toISOString().slice(0, 10) === value;
    return exists && value > '0001' ? undefined : 'must be a day, such as 2026-03-01';
  },
});

export const zone: Field<string> = text({
  check: (value) => (readTimeZone(value) === undefined ? notATimeZone : undefined),
});
