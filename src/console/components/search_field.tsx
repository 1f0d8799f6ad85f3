import { FilterText } from './filter_text.tsx';
import type { Filtering } from './filtering.ts';

/** The filter `text`. */
export const SearchField = ({ label, ...filtering }: Filtering & { readonly label: string }) => (
  <FilterText {...filtering} name="text" type="search" label={label} />
);
