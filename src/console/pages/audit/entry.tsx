import type { AuditRowFragment } from '../../../generated/console.ts';
import type { People } from '../../api/use_people.ts';
import { Icon } from '../../components/icon.tsx';
import { formatMoment } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { Changes } from './changes.tsx';

/** One change of one record; what it changed unfolds. */
export function Entry({
  entry: {
    user_id,
    token_id,
    action,
    record_type,
    record_id,
    before,
    after,
    request_id,
    created_at,
  },
  people,
}: {
  readonly entry: AuditRowFragment;
  readonly people: People;
}) {
  const { audit: texts } = words.value;
  const verb = action.slice(action.indexOf('.') + 1);
  const verbs: Readonly<Record<string, string>> = texts.verbs;
  const types: Readonly<Record<string, string>> = texts.types;
  const who = user_id === null ? texts.commandLine : people.named(user_id);
  return (
    <li>
      <details>
        <summary>
          <Icon name="next" />
          <time dateTime={created_at}>{formatMoment(created_at)}</time>
          <span class="entry-person">{who}</span>
          <span class={`badge ${kinds[verb] ?? ''}`}>{verbs[verb] ?? verb}</span>
          <span>
            {types[record_type] ?? record_type} <span class="soft">#{record_id}</span>
          </span>
        </summary>
        <Changes before={before} after={after} />
        <p class="entry-trace">
          {token_id === null ? '' : `${texts.token(token_id)} · `}
          {texts.request(request_id)}
        </p>
      </details>
    </li>
  );
}

const kinds: Readonly<Record<string, string>> = {
  create: 'good',
  update: 'accent',
  delete: 'bad',
  revoke: 'bad',
  refuse_sign_in: 'warn',
  refuse_password: 'warn',
};
