/** Activities that are to be done: whose, when, and what becomes of them. */
import { signal } from '@preact/signals';
import {
  ActivityCountDocument,
  type PlannedFragment,
  UpdateEventDocument,
} from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { who } from '../../api/who.ts';
import { clockAt, momentOf, startOfDay } from '../../words/days.ts';
import { timeZone } from '../../words/format.ts';

export type Activity = PlannedFragment;

/** Counts the changes made here, so that whatever shows activities reads them again. */
export const activityChanges = signal(0);

export const noteActivityChange = (): void => {
  activityChanges.value += 1;
};

/** The conditions of a search for activities that are not done. */
export const isPlanned = { kind_eq: 'activity', done_at_null: true } as const;

/**
 * The same for those of the person at work: written by them, or of a deal that they work on.
 * @param isOwn whether others' are left out
 */
export const plannedFor = (isOwn: boolean): Record<string, unknown> => {
  const me = who.value?.me.user.id;
  return isOwn
    ? { ...isPlanned, g: [{ m: 'or', deal_users_id_eq: me, created_by_id_eq: me }] }
    : { ...isPlanned };
};

/** The day of the account's time zone, such as `2026-03-01`. */
export const dayAt = (moment: number): string => clockAt(moment, timeZone.value).slice(0, 10);

/** When the day after a moment's begins, ISO 8601. */
export const endOfDay = (moment: number): string => startOfDay(dayAt(moment), timeZone.value, 1);

/** How many days ahead Monday is, from 1 to 7. */
const daysToMonday = (moment: number): number =>
  (8 - new Date(`${dayAt(moment)}T12:00Z`).getUTCDay()) % 7 || 7;

const nineOf = (moment: number, later: number): string => {
  const noon = Date.parse(`${dayAt(moment)}T12:00Z`) + later * 86_400_000;
  return momentOf(`${new Date(noon).toISOString().slice(0, 10)}T09:00`, timeZone.value);
};

/** Nine in the morning of the next day, ISO 8601. */
export const tomorrow = (now = Date.now()): string => nineOf(now, 1);

/** Nine in the morning of next Monday, ISO 8601. */
export const nextWeek = (now = Date.now()): string => nineOf(now, daysToMonday(now));

/** How an activity stands to the day of today. */
export type Standing = 'overdue' | 'today' | 'planned';

/** @param scheduledAt null where it has no time yet */
export function standingOf(scheduledAt: string | null, now = Date.now()): Standing {
  if (scheduledAt === null) return 'planned';
  const at = Date.parse(scheduledAt);
  if (at < now) return 'overdue';
  return dayAt(at) === dayAt(now) ? 'today' : 'planned';
}

/** Changes an activity, of any version. @throws {Refusal} what the service refused */
export async function changeActivity(
  id: number,
  input: { readonly done?: boolean; readonly scheduled_at?: string | null },
): Promise<void> {
  await ask(UpdateEventDocument, { id, input });
  noteActivityChange();
}

/** Whether anything is planned for a deal or, of all that concerns them, with a contact. */
export async function hasPlans(of: {
  readonly kind: 'contact' | 'deal';
  readonly id: number;
}): Promise<boolean> {
  const query = { ...isPlanned, [`${of.kind}_id_eq`]: of.id };
  const { events } = await ask(ActivityCountDocument, { query });
  return events.pagination.count > 0;
}
