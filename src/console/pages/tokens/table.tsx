import { RevokeTokenDocument, type TokenRowFragment } from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { nameOf } from '../../api/use_people.ts';
import { IconButton } from '../../components/button.tsx';
import { confirm } from '../../components/confirm.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { attempt, tell } from '../../components/toast.tsx';
import { formatAgo, formatDay, formatMoment } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { summaryOf } from './scopes.ts';

interface Props {
  readonly tokens: readonly TokenRowFragment[];
  readonly isLoading: boolean;
  readonly onChange: () => Promise<void>;
}

/** Tokens, what they may do, and whether they are still in use. */
export function TokenTable({ tokens, isLoading, onChange }: Props) {
  const { tokens: texts } = words.value;
  const revoke = async ({ id, name }: TokenRowFragment) => {
    const question = { title: texts.revoke, text: texts.revokeWhat(name), action: texts.revoke };
    if (!(await confirm(question))) return;
    if (await attempt(() => ask(RevokeTokenDocument, { id }))) tell(texts.revoked(name));
    await onChange();
  };
  const columns: readonly Column<TokenRowFragment>[] = [
    {
      key: 'name',
      title: texts.name,
      cell: (token) => (
        <div>
          <strong>{token.name || texts.nameless}</strong>
          <small>{nameOf(token.user)}</small>
        </div>
      ),
    },
    { key: 'scopes', title: texts.scopes, cell: ({ scopes }) => summaryOf(scopes) },
    {
      key: 'used',
      title: texts.used,
      cell: ({ last_used_at: used }) =>
        used ? <time title={formatMoment(used)}>{formatAgo(used)}</time> : texts.neverUsed,
    },
    {
      key: 'created',
      title: texts.created,
      kind: 'short',
      cell: ({ created_at }) => formatDay(created_at),
    },
    { key: 'state', title: texts.state, cell: (token) => <State token={token} /> },
    {
      key: 'actions',
      title: texts.actions,
      kind: 'actions',
      cell: (token) =>
        token.revoked_at === null && (
          <IconButton
            icon="remove"
            label={texts.revokeOne(token.name)}
            onClick={() => revoke(token)}
          />
        ),
    },
  ];
  return (
    <Table
      caption={texts.title}
      columns={columns}
      rows={tokens}
      keyOf={({ id }) => id}
      isLoading={isLoading}
    />
  );
}

/** Whether it works, and until when. */
function State({ token: { revoked_at, expires_at } }: { readonly token: TokenRowFragment }) {
  const { tokens: texts } = words.value;
  if (revoked_at !== null) return <span class="badge bad">{texts.isRevoked}</span>;
  if (expires_at === null) return <span class="badge good">{texts.isEndless}</span>;
  if (Date.parse(expires_at) <= Date.now()) return <span class="badge bad">{texts.isOver}</span>;
  const isToday = formatDay(expires_at) === formatDay(new Date().toISOString());
  const end = isToday ? formatMoment(expires_at) : formatDay(expires_at);
  return <span class="badge good">{texts.until(end)}</span>;
}
