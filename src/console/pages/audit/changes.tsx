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
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
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
            <th scope="row">{field}</th>
            <td data-title={texts.before}>{shown(before?.[field])}</td>
            <td data-title={texts.after}>{shown(after?.[field])}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function shown(value: unknown): string {
  if (value === undefined || value === null || value === '') return '—';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
