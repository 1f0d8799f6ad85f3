import {
  EndSessionDocument,
  type SessionRowFragment,
  SessionsDocument,
} from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { useAnswer } from '../../api/use_answer.ts';
import { Answer } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { attempt, tell } from '../../components/toast.tsx';
import { formatAgo, formatMoment } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { browserOf } from './browser.ts';

/** Where a person is signed in; each can be ended. */
export function SessionList({ query }: { readonly query: Record<string, unknown> }) {
  const { sessions: texts } = words.value;
  const answer = useAnswer(SessionsDocument, { query });
  const end = async ({ id }: SessionRowFragment) => {
    if (await attempt(() => ask(EndSessionDocument, { id }))) tell(texts.ended);
    await answer.reload();
  };
  const columns: readonly Column<SessionRowFragment>[] = [
    {
      key: 'browser',
      title: texts.browser,
      cell: ({ user_agent, is_current }) => (
        <span title={user_agent}>
          {browserOf(user_agent) || texts.unknown}
          {is_current && <span class="soft"> · {texts.current}</span>}
        </span>
      ),
    },
    { key: 'ip', title: texts.address, cell: ({ ip }) => ip },
    {
      key: 'since',
      title: texts.since,
      kind: 'short',
      cell: ({ created_at }) => formatMoment(created_at),
    },
    { key: 'used', title: texts.used, cell: ({ last_used_at }) => formatAgo(last_used_at) },
    {
      key: 'actions',
      title: texts.end,
      kind: 'actions',
      cell: (session) =>
        !session.is_current && (
          <Button kind="quiet" onClick={() => end(session)}>
            {texts.end}
          </Button>
        ),
    },
  ];
  return (
    <section class="part">
      <h2>{texts.title}</h2>
      <Answer of={answer}>
        {({ sessions: { data } }) =>
          data.length === 0 ? (
            <p class="soft">{texts.none}</p>
          ) : (
            <Table
              caption={texts.title}
              columns={columns}
              rows={data}
              keyOf={({ id }) => id}
              isLoading={answer.isLoading}
            />
          )
        }
      </Answer>
    </section>
  );
}
