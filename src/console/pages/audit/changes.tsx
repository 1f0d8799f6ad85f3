import type { Change, RecordNames } from '../../records/record_names.ts';
import { fieldName } from '../../words/fields.ts';
import { words } from '../../words/words.ts';
import { NameLink } from './name_link.tsx';
import { isEmpty, Value } from './value.tsx';

/** The way to a record that is still there, and what its fields were, beside what they became. */
export function Changes({
  of: { before, after, ...record },
  names,
}: {
  readonly of: Change;
  readonly names: RecordNames;
}) {
  const { audit: texts } = words.value;
  const named = names(record);
  const all = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  // A record that is created or deleted has all its fields in the entry; those never filled in say nothing.
  const fields = all.filter((name) => !(isEmpty(before?.[name]) && isEmpty(after?.[name])));
  return (
    <>
      {named && (
        // Not in the summary, where a link would be a control within a control.
        <p class="entry-link">
          <NameLink named={named} />
        </p>
      )}
      {fields.length === 0 ? (
        <p class="soft">{texts.noChanges}</p>
      ) : (
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
                  <Value field={field} values={before} names={names} />
                </td>
                <td data-title={texts.after}>
                  <Value field={field} values={after} names={names} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}
