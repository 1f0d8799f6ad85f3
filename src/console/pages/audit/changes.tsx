import { fieldName } from '../../words/fields.ts';
import { formatMoment } from '../../words/format.ts';
import { words } from '../../words/words.ts';

type Values = Readonly<Record<string, unknown>>;

/** What fields were, beside what they became. */
export function Changes({
  before,
  after,
}: {
  readonly before: Values | null;
  readonly after: Values | null;
}) {
  const { audit: texts } = words.value;
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  // A record that is created or deleted has all its fields in the entry; those never filled in say nothing.
  const fields = names.filter((name) => !(isEmpty(before?.[name]) && isEmpty(after?.[name])));
  if (fields.length === 0) return <p class="soft">{texts.noChanges}</p>;
  return (
    <table class="changes stacked">
      <thead>
        <tr>
          <th scope="col">{texts.field}</th>
          <th scope="col">{texts.before}</th>
          <th scope="col">{texts.after}</th>
        </tr>
      </thead>
      <tbody>
        {fields.map((field) => (
          <tr key={field}>
            <th scope="row">{fieldName(field)}</th>
            <td data-title={texts.before}>
              <Value field={field} value={before?.[field]} />
            </td>
            <td data-title={texts.after}>
              <Value field={field} value={after?.[field]} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function Value({ field, value }: { readonly field: string; readonly value: unknown }) {
  const statuses: Readonly<Record<string, string>> = words.value.records.statuses;
  if (typeof value !== 'string') return <>{shown(value)}</>;
  if (/_at$/.test(field) && moment.test(value)) {
    return <time dateTime={value}>{formatMoment(value)}</time>;
  }
  return <>{shown(field === 'status' ? (statuses[value] ?? value) : value)}</>;
}

const moment = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

function shown(value: unknown): string {
  if (isEmpty(value)) return '—';
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object'))
    return value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
