/** The views of all lists that a person saved or that others share, for the lists and for the navigation. */
import { signal } from '@preact/signals';
import { SavedViewsDocument, type SavedViewsQuery } from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { lastFilters } from '../../components/use_filters.ts';

export type View = SavedViewsQuery['saved_views'][number];

export const savedViews = signal<readonly View[]>([]);

/** Milliseconds for which nobody needs to read them again. */
const freshMs = 2000;

/** When they were last asked for, by `performance.now()`. */
let readAt = -freshMs;

/** Reads them as others may have changed them, unless that was just done: the navigation and a list open together. */
export async function refreshViews(): Promise<void> {
  if (performance.now() - readAt >= freshMs) await readViews();
}

/** Reads them as they are now; where they cannot be read, those of before stay. */
export async function readViews(): Promise<void> {
  readAt = performance.now();
  const answer = await ask(SavedViewsDocument, {}).catch(() => undefined);
  if (answer) savedViews.value = answer.saved_views;
}

/** What follows the question mark in the address of a list that is filtered like this. */
export const searchOf = (filters: Readonly<Record<string, unknown>>): string =>
  String(
    new URLSearchParams(Object.entries(filters).map(([name, value]) => [name, String(value)])),
  );

/**
 * The address of a list as a view has it; of the whole list without filters. Where a view has no columns, those that the
 * person chose stay.
 */
export function addressOf(list: string, filters: View['filters']): string {
  const columns = lastFilters(`/${list}`).get('columns');
  const next = searchOf({ ...(columns && { columns }), ...filters });
  return next === '' ? `/${list}` : `/${list}?${next}`;
}

/** Whether an address shows the list as a view has it, on whatever page; of columns a view need not say anything. */
export function isShown(view: View, search: string): boolean {
  const [shown, wanted] = [
    new URLSearchParams(search),
    new URLSearchParams(searchOf(view.filters)),
  ];
  shown.delete('page');
  if (!wanted.has('columns')) shown.delete('columns');
  shown.sort();
  wanted.sort();
  return String(shown) === String(wanted);
}
