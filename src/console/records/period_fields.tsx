import { TextField } from '../components/field.tsx';
import type { Filtering } from '../components/filtering.ts';

/** The first and the last day of what is shown: the filters `from` and `to`. */
export function PeriodFields({
  filters,
  change,
  labels,
}: Filtering & { readonly labels: { readonly from: string; readonly to: string } }) {
  const day = (name: 'from' | 'to') => (
    <TextField
      type="date"
      name={name}
      label={labels[name]}
      value={filters[name] ?? ''}
      onChange={(value) => change({ [name]: value })}
      error={undefined}
    />
  );
  return (
    <div class="period">
      {day('from')}
      {day('to')}
    </div>
  );
}
