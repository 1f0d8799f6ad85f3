import { useEffect } from 'preact/hooks';
import { useLocation, useSearch } from 'wouter-preact';
import { session } from '../api/session.ts';

/** What a person last chose of a list is kept in the browser, but neither what was typed nor the page. */
const passing = ['text', 'page'];

const placeOf = (path: string) => `crm.filters.${session.value?.user_id}.${path}`;

/** What a person last chose of the list at a path. */
export const lastFilters = (path: string): URLSearchParams =>
  new URLSearchParams(localStorage.getItem(placeOf(path)) ?? '');

/**
 * What a page shows of a list, kept in its address, which can be sent to a colleague.
 * @param defaults of all filters; what is as by default is left out of the address
 * @param isKept whether the page is opened with the filters that the person last chose, unless its address has others
 * @returns the filters, and what changes some of them; a list begins with its first page again
 */
export function useFilters<Name extends string>(
  defaults: Readonly<Record<Name, string>>,
  isKept = false,
): readonly [
  Readonly<Record<Name, string>>,
  (change: Readonly<Partial<Record<Name, string>>>) => void,
] {
  const [path, navigate] = useLocation();
  const search = useSearch();
  const given = new URLSearchParams(search);
  const filters: Record<Name, string> = { ...defaults };
  for (const name in defaults) filters[name] = given.get(name) ?? defaults[name];
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page is opened
  useEffect(() => {
    const last = isKept && search === '' ? String(lastFilters(path)) : '';
    if (last !== '') navigate(`${path}?${last}`, { replace: true });
  }, []);
  const change = (wanted: Readonly<Partial<Record<Name, string>>>) => {
    // With other columns a page has the same rows.
    const isAnother = Object.keys(wanted).some((name) => name !== 'columns');
    const first = isAnother && 'page' in defaults ? { page: defaults.page } : {};
    const next = { ...filters, ...first, ...wanted };
    const chosen = new URLSearchParams();
    const lasting = new URLSearchParams();
    for (const name in defaults) {
      if (next[name] === defaults[name]) continue;
      chosen.set(name, next[name]);
      if (!passing.includes(name)) lasting.set(name, next[name]);
    }
    if (isKept) localStorage.setItem(placeOf(path), String(lasting));
    // Back leads to the page before, not through each letter of a filter.
    navigate(chosen.size > 0 ? `${path}?${chosen}` : path, { replace: !('page' in wanted) });
  };
  return [filters, change];
}
