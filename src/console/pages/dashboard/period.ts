/** Which deals a dashboard is of. */
import type { LiveDashboardSubscription } from '../../../generated/console.ts';
import { clockAt } from '../../words/days.ts';
import { timeZone } from '../../words/format.ts';

export interface Scope {
  readonly pipeline: number;
  /** The search for all deals of the dashboard, whatever became of them. */
  readonly query: Readonly<Record<string, unknown>>;
  /** The first and the last day, in the account's time zone. */
  readonly period: { readonly from: string; readonly to: string };
  /** All of its figures as they are now, once that is known. */
  readonly live?: LiveDashboardSubscription['dashboard'] | undefined;
}

/**
 * The days of `count` months up to today, this month being the last.
 * @param now milliseconds since 1970
 */
export function lastMonths(count: number, now = Date.now()): Scope['period'] {
  const to = clockAt(now, timeZone.value).slice(0, 10);
  const [year = 0, month = 0] = to.split('-').map(Number);
  const first = new Date(Date.UTC(year, month - count, 1));
  return { from: first.toISOString().slice(0, 10), to };
}
