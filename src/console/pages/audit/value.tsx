import { type RecordNames, referenceIn, type Values } from '../../records/record_names.ts';
import { sentenceOf } from '../../records/timeline/sentence.ts';
import { formatMoment } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { languageOptions } from '../users/options.ts';
import { NameLink } from './name_link.tsx';

/** Whether a field was never filled in. */
export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** What a field of a record holds: a reference by the name of what it leads to, a choice in words. */
export function Value({
  field,
  values,
  names,
}: {
  readonly field: string;
  /** All that is known of the record at that time. */
  readonly values: Values | null | undefined;
  readonly names: RecordNames;
}) {
  const value = values?.[field];
  const reference = referenceIn(field, value);
  if (reference) {
    const named = names(reference);
    return (
      <span>
        {named && (
          <>
            <NameLink named={named} />{' '}
          </>
        )}
        <span class="soft">#{reference.record_id}</span>
      </span>
    );
  }
  if (typeof value !== 'string') return <>{shown(value)}</>;
  if (/_at$/.test(field) && moment.test(value)) {
    return <time dateTime={value}>{formatMoment(value)}</time>;
  }
  return <>{shown(inWords(field, value, values?.additional_attributes))}</>;
}

const moment = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** A choice as the rest of the console calls it; anything else as it is. */
function inWords(field: string, value: string, attributes: unknown): string {
  const { records, users } = words.value;
  const statuses: Readonly<Record<string, string>> = records.statuses;
  const roles: Readonly<Record<string, string>> = users.roles;
  switch (field) {
    case 'kind':
      return sentenceOf({
        kind: value,
        additional_attributes: { ...(typeof attributes === 'object' ? attributes : null) },
      });
    case 'language':
      return languageOptions.find((option) => option.value === value)?.text ?? value;
    case 'role':
      return roles[value] ?? value;
    case 'status':
      return statuses[value] ?? value;
    default:
      return value;
  }
}

function shown(value: unknown): string {
  if (isEmpty(value)) return '—';
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object'))
    return value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
