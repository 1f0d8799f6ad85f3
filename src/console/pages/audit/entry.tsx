import { Link } from 'wouter-preact';
import type { AuditRowFragment } from '../../../generated/console.ts';
import type { People } from '../../api/use_people.ts';
import { Icon } from '../../components/icon.tsx';
import type { NamedRecord, RecordNames } from '../../records/record_names.ts';
import { formatMoment } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { Changes } from './changes.tsx';

/** One change of one record; what it changed unfolds. */
export function Entry({
  entry,
  people,
  names,
}: {
  readonly entry: AuditRowFragment;
  readonly people: People;
  readonly names: RecordNames;
}) {
  const { audit: texts, undo } = words.value;
  const { token_id, action, record_type, record_id } = entry;
  const { client, request_id, created_at, erased_at } = entry;
  const verb = action.slice(action.indexOf('.') + 1);
  const verbs: Readonly<Record<string, string>> = texts.verbs;
  const types: Readonly<Record<string, string>> = texts.types;
  return (
    <li>
      <details>
        <summary>
          <Icon name="next" />
          <time dateTime={created_at}>{formatMoment(created_at)}</time>
          <span class="entry-person">{doerOf(entry, people)}</span>
          <span class={`badge ${kinds[verb] ?? ''}`}>{verbs[verb] ?? verb}</span>
          <span class="entry-record">
            <span>{types[record_type] ?? record_type}</span> {nameIn(entry, names(entry))}{' '}
            <span class="soft">#{record_id}</span>
          </span>
        </summary>
        {erased_at && <p class="notice">{texts.erased(formatMoment(erased_at))}</p>}
        <Changes of={entry} names={names} />
        <p class="entry-trace">
          {token_id === null ? '' : `${texts.token(token_id)} · `}
          {client === null ? '' : <bdi>{client}</bdi>}
          {client === null ? '' : ' · '}
          {texts.request(request_id)}{' '}
          <Link href={`/audit/undo?request=${encodeURIComponent(request_id)}`}>{undo.one}</Link>
        </p>
      </details>
    </li>
  );
}

/** What the record is called, or was when it was created or deleted. */
function nameIn({ record_type, before, after }: AuditRowFragment, named: NamedRecord | undefined) {
  // There is one account, and its name stands above all pages.
  if (record_type === 'account') return null;
  const values = { ...before, ...after };
  const name = named?.name ?? values.full_name ?? values.name ?? values.title;
  return typeof name === 'string' && name !== '' ? <bdi class="entry-name">{name}</bdi> : null;
}

/** Clients may name their requests, so that a name tells the command line only where somebody got in. */
function doerOf({ user_id, action, request_id }: AuditRowFragment, people: People): string {
  const { audit: texts } = words.value;
  if (user_id !== null) return people.named(user_id);
  const isOperator = request_id === 'cli' && action !== 'user.refuse_sign_in';
  return isOperator ? texts.commandLine : texts.nobody;
}

const kinds: Readonly<Record<string, string>> = {
  create: 'good',
  update: 'accent',
  delete: 'bad',
  erase: 'bad',
  revoke: 'bad',
  refuse_sign_in: 'warn',
  refuse_password: 'warn',
};
