import { FilterSelect } from '../../components/filter_select.tsx';
import { FilterText } from '../../components/filter_text.tsx';
import type { Filtering } from '../../components/filtering.ts';
import { Filters } from '../../components/filters.tsx';
import { MoreFilters } from '../../components/more_filters.tsx';
import { SearchField } from '../../components/search_field.tsx';
import { AttributeFilter } from '../../records/attribute_filter.tsx';
import { labelOptions, type Offering, ownerOptions, stageOptions } from '../../records/choices.ts';
import { noDealFilter } from '../../records/deal_query.ts';
import { PeriodFields } from '../../records/period_fields.tsx';
import { statusOptions } from '../../records/status.tsx';
import { words } from '../../words/words.ts';

/** Filters that few need on most days. */
const folded = ['label', 'from', 'to', 'least', 'most', 'attribute'] as const;

/** Which deals are listed. */
export function DealFilters({ choices: data, ...filtering }: Filtering & Offering) {
  const { activities, records } = words.value;
  const all = { value: '', text: records.all };
  // With deals that are over there is nothing to be done.
  const isOpen = { status: filtering.filters.status || 'open' };
  const changeOpen: Filtering['change'] = (next) =>
    filtering.change(Object.values(next).some(Boolean) ? { ...next, ...isOpen } : next);
  return (
    <Filters
      filters={filtering.filters}
      none={noDealFilter}
      search={<SearchField label={records.search} {...filtering} />}
    >
      <FilterSelect
        {...filtering}
        name="status"
        label={records.status}
        options={[all, ...statusOptions()]}
      />
      <FilterSelect
        {...filtering}
        name="stage"
        label={records.stage}
        options={[all, ...(data ? stageOptions(data) : [])]}
      />
      <FilterSelect
        {...filtering}
        name="owner"
        label={records.owner}
        options={ownerOptions(data)}
      />
      <FilterSelect
        {...filtering}
        change={changeOpen}
        name="step"
        label={activities.nextStep}
        options={[all, { value: 'none', text: activities.standings.nothing }]}
      />
      <FilterText
        {...filtering}
        change={changeOpen}
        name="idle"
        label={activities.idle}
        inputMode="numeric"
        suggested={['7', '14', '30']}
      />
      <MoreFilters isSet={folded.some((name) => filtering.filters[name])}>
        <FilterSelect
          {...filtering}
          name="label"
          label={records.label}
          options={[all, ...(data ? labelOptions(data) : [])]}
        />
        <PeriodFields
          {...filtering}
          labels={{ from: records.createdFrom, to: records.createdTo }}
        />
        <FilterText {...filtering} name="least" label={records.amountFrom} inputMode="decimal" />
        <FilterText {...filtering} name="most" label={records.amountTo} inputMode="decimal" />
        <AttributeFilter {...filtering} />
      </MoreFilters>
    </Filters>
  );
}
