import { useLocation, useSearch } from 'wouter-preact';

/**
 * What a page shows of a list, kept in its address, which can be sent to a colleague.
 * @param defaults of all filters; what is as by default is left out of the address
 * @returns the filters, and what changes some of them; a list begins with its first page again
 */
export function useFilters<Name extends string>(
  defaults: Readonly<Record<Name, string>>,
): readonly [
  Readonly<Record<Name, string>>,
  (change: Readonly<Partial<Record<Name, string>>>) => void,
] {
  const [path, navigate] = useLocation();
  const given = new URLSearchParams(useSearch());
  const filters: Record<Name, string> = { ...defaults };
  for (const name in defaults) filters[name] = given.get(name) ?? defaults[name];
  const change = (wanted: Readonly<Partial<Record<Name, string>>>) => {
    const next = { ...filters, ...('page' in defaults ? { page: defaults.page } : {}), ...wanted };
    const search = new URLSearchParams();
    for (const name in defaults) {
      if (next[name] !== defaults[name]) search.set(name, next[name]);
    }
    // Back leads to the page before, not through each letter of a filter.
    navigate(search.size > 0 ? `${path}?${search}` : path, { replace: !('page' in wanted) });
  };
  return [filters, change];
}
