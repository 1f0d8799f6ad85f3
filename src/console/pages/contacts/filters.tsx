import { FilterSelect } from '../../components/filter_select.tsx';
import type { Filtering } from '../../components/filtering.ts';
import { Filters } from '../../components/filters.tsx';
import { SearchField } from '../../components/search_field.tsx';
import { AttributeFilter } from '../../records/attribute_filter.tsx';
import { labelOptions, type Offering } from '../../records/choices.ts';
import { PeriodFields } from '../../records/period_fields.tsx';
import { words } from '../../words/words.ts';

/** All contacts. */
export const noContactFilter = { text: '', label: '', from: '', to: '', attribute: '', value: '' };

/** Which contacts are listed. */
export function ContactFilters({ choices: data, ...filtering }: Filtering & Offering) {
  const { records } = words.value;
  return (
    <Filters
      filters={filtering.filters}
      none={noContactFilter}
      search={<SearchField label={records.search} {...filtering} />}
    >
      <FilterSelect
        {...filtering}
        name="label"
        label={records.label}
        options={[{ value: '', text: records.all }, ...(data ? labelOptions(data) : [])]}
      />
      <PeriodFields {...filtering} labels={{ from: records.createdFrom, to: records.createdTo }} />
      <AttributeFilter {...filtering} />
    </Filters>
  );
}
