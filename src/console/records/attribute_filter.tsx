import { FilterText } from '../components/filter_text.tsx';
import type { Filtering } from '../components/filtering.ts';
import { words } from '../words/words.ts';

/** Filters by a custom attribute: its name, and what its text has to contain. */
export function AttributeFilter(filtering: Filtering) {
  const { records } = words.value;
  return (
    <>
      <FilterText {...filtering} name="attribute" label={records.attributeName} />
      {filtering.filters.attribute && (
        <FilterText
          {...filtering}
          name="value"
          label={records.attributeValue(filtering.filters.attribute)}
        />
      )}
    </>
  );
}
