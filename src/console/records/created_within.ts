import { startOfDay } from '../words/days.ts';
import { timeZone } from '../words/format.ts';

/**
 * The conditions of a search for records that were created between two days of the account's time zone.
 * @param period days such as `2026-03-01`; an empty one bounds nothing
 */
export const createdWithin = ({ from, to }: { readonly from: string; readonly to: string }) => ({
  created_at_gteq: startOfDay(from, timeZone.value),
  created_at_lt: startOfDay(to, timeZone.value, 1),
});
