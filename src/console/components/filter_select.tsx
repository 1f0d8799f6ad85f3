import type { Filtering } from './filtering.ts';
import { type Option, Select } from './select.tsx';

/** A choice that the address keeps. */
export const FilterSelect = ({
  filters,
  change,
  name,
  label,
  options,
}: Filtering & {
  readonly name: string;
  readonly label: string;
  readonly options: readonly Option[];
}) => (
  <Select
    name={name}
    label={label}
    options={options}
    value={filters[name] ?? ''}
    onChange={(value) => change({ [name]: value })}
    error={undefined}
  />
);
