import { Link, useLocation } from 'wouter-preact';
import { type WebhookRowFragment, WebhooksDocument } from '../../../generated/console.ts';
import { useAnswer } from '../../api/use_answer.ts';
import { nameOf } from '../../api/use_people.ts';
import { Answer } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { Empty } from '../../components/empty.tsx';
import { PageHeader } from '../../components/page_header.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { words } from '../../words/words.ts';
import { summaryOf } from './events.ts';
import { byNeed, State } from './state.tsx';

/** The account's webhooks. */
export function WebhooksPage() {
  const { webhooks: texts } = words.value;
  const [, navigate] = useLocation();
  const answer = useAnswer(WebhooksDocument, {});
  const adding = (
    <Button kind="primary" icon="add" onClick={() => navigate('/webhooks/new')}>
      {texts.add}
    </Button>
  );
  return (
    <>
      <PageHeader title={texts.title} about={texts.about}>
        {adding}
      </PageHeader>
      <Answer of={answer}>
        {({ webhooks: { data } }) =>
          data.length === 0 ? (
            <Empty title={texts.none} action={adding}>
              {texts.whatFor}
            </Empty>
          ) : (
            <Table
              caption={texts.title}
              columns={columns()}
              rows={byNeed(data)}
              keyOf={({ id }) => id}
              isLoading={answer.isLoading}
            />
          )
        }
      </Answer>
    </>
  );
}

function columns(): readonly Column<WebhookRowFragment>[] {
  const { webhooks: texts } = words.value;
  return [
    {
      key: 'url',
      title: texts.url,
      cell: ({ id, url, description }) => (
        <div>
          <Link href={`/webhooks/${id}`}>{url}</Link>
          {description && <small>{description}</small>}
        </div>
      ),
    },
    { key: 'events', title: texts.events, cell: ({ events }) => summaryOf(events) },
    {
      key: 'person',
      title: texts.person,
      cell: ({ user }) => (user ? nameOf(user) : <span class="badge warn">{texts.hasLeft}</span>),
    },
    { key: 'state', title: texts.state, cell: (webhook) => <State webhook={webhook} /> },
  ];
}
