import { fieldName } from '../../words/fields.ts';
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
            <td data-title={texts.before}>{shown(before?.[field])}</td>
            <td data-title={texts.after}>{shown(after?.[field])}</td>
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

function shown(value: unknown): string {
  if (isEmpty(value)) return '—';
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object'))
    return value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
