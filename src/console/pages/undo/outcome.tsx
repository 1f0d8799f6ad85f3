import type { UndoneFragment } from '../../../generated/console.ts';
import { Icon } from '../../components/icon.tsx';
import { type NamedRecord, type RecordNames, useRecordNames } from '../../records/record_names.ts';
import { fieldName } from '../../words/fields.ts';
import { words } from '../../words/words.ts';
import { Changes } from '../audit/changes.tsx';
import { NameLink } from '../audit/name_link.tsx';

/** Kinds of records as the audit log calls them. */
function typeOf(record_type: string): string {
  const types: Readonly<Record<string, string>> = words.value.audit.types;
  return types[record_type] ?? record_type;
}

/** What a record is called that has no page, or is not there yet. */
function nameIn(values: Readonly<Record<string, unknown>> | null | undefined): string {
  const names = ['full_name', 'name', 'product_name', 'title', 'email', 'phone'].map(
    (field) => values?.[field],
  );
  return names.find((name): name is string => typeof name === 'string' && name !== '') ?? '';
}

/** What is put back and what goes, and what stays as it is and why. */
export function Outcome({
  outcome,
  isDone,
}: {
  readonly outcome: UndoneFragment;
  readonly isDone: boolean;
}) {
  const { undo: texts } = words.value;
  const { reverted, changes, conflicts, conflicts_count } = outcome;
  const names = useRecordNames([...changes, ...conflicts]);
  return (
    <>
      {reverted > 0 && (
        <section class="part">
          <h2>{texts.reverts(reverted)}</h2>
          <ul class="entries">
            {changes.map((change) => (
              <Change
                key={`${change.record_type} ${change.record_id}`}
                change={change}
                names={names}
                isDone={isDone}
              />
            ))}
          </ul>
          <More count={reverted - changes.length} />
        </section>
      )}
      {conflicts_count > 0 && (
        <section class="part">
          <h2>{texts.stays(conflicts_count)}</h2>
          <ul class="entries">
            {conflicts.map((conflict) => (
              <Conflict
                key={`${conflict.record_type} ${conflict.record_id} ${conflict.fields}`}
                {...conflict}
                named={names(conflict)}
              />
            ))}
          </ul>
          <More count={conflicts_count - conflicts.length} />
        </section>
      )}
    </>
  );
}

function Change({
  change,
  names,
  isDone,
}: {
  readonly change: UndoneFragment['changes'][number];
  readonly names: RecordNames;
  readonly isDone: boolean;
}) {
  const { undo: texts } = words.value;
  const { record_type, record_id, action, before, after } = change;
  const named = names(change);
  const goes = action === 'delete';
  const title = (
    <>
      <span class={`badge ${goes ? 'bad' : 'accent'}`}>{goes ? texts.goes : texts.restored}</span>
      <span>
        {typeOf(record_type)}{' '}
        {named && goes && !isDone ? (
          <NameLink named={named} />
        ) : (
          <bdi>{named?.name ?? nameIn(after ?? before)}</bdi>
        )}{' '}
        <span class="soft">#{record_id}</span>
      </span>
    </>
  );
  if (goes) return <li class="undone">{title}</li>;
  return (
    <li>
      <details>
        <summary class="undone">
          <Icon name="next" />
          {title}
        </summary>
        <Changes of={change} names={names} />
      </details>
    </li>
  );
}

function Conflict({
  record_type,
  record_id,
  fields,
  reason,
  named,
}: UndoneFragment['conflicts'][number] & { readonly named: NamedRecord | undefined }) {
  const reasons: Readonly<Record<string, string>> = words.value.undo.reasons;
  return (
    <li class="undone">
      <span>
        {typeOf(record_type)} {named && <NameLink named={named} />}{' '}
        <span class="soft">#{record_id}</span>
      </span>
      {fields.length > 0 && (
        <span class="soft">{fields.map((field) => fieldName(field)).join(', ')}</span>
      )}
      <span>{reasons[reason] ?? reason}</span>
    </li>
  );
}

const More = ({ count }: { readonly count: number }) =>
  count > 0 ? <p class="soft">{words.value.undo.more(count)}</p> : null;
