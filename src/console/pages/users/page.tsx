import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { UsersDocument, type UsersQuery } from '../../../generated/console.ts';
import { useAnswer } from '../../api/use_answer.ts';
import { nameOf } from '../../api/use_people.ts';
import { isAdmin, who } from '../../api/who.ts';
import { Answer } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { PageHeader } from '../../components/page_header.tsx';
import { Paging } from '../../components/paging.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { useFilters } from '../../components/use_filters.ts';
import { formatDay } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { InvitationDialog } from './invitation.tsx';
import { NewLink } from './new_link.tsx';

/** The people of the account. */
export function UsersPage() {
  const { users: texts } = words.value;
  const [{ page, sort }, change] = useFilters({ page: '1', sort: 'full_name asc' });
  const answer = useAnswer(UsersDocument, { query: { s: sort }, page: Number(page) });
  const [isInviting, setInviting] = useState(false);
  return (
    <>
      <PageHeader title={texts.title} about={texts.about}>
        {isAdmin.value && (
          <Button kind="primary" icon="add" onClick={() => setInviting(true)}>
            {texts.invite}
          </Button>
        )}
      </PageHeader>
      <Answer of={answer}>
        {({ users: { data, pagination } }) => (
          <>
            <Table
              caption={texts.title}
              columns={columns()}
              rows={data}
              keyOf={({ id }) => id}
              isLoading={answer.isLoading}
              sorted={sort}
              onSort={(wanted) => change({ sort: wanted })}
            />
            <Paging pagination={pagination} onPage={(to) => change({ page: String(to) })} />
          </>
        )}
      </Answer>
      {isInviting && (
        <InvitationDialog onInvited={answer.reload} onClose={() => setInviting(false)} />
      )}
    </>
  );
}

type Row = UsersQuery['users']['data'][number];

function columns(): readonly Column<Row>[] {
  const { users: texts } = words.value;
  return [
    {
      key: 'name',
      title: texts.name,
      sort: 'full_name',
      cell: (user) => (
        <div>
          {isAdmin.value ? <Link href={`/users/${user.id}`}>{nameOf(user)}</Link> : nameOf(user)}
          {user.id === who.value?.me.user.id && <span class="soft"> · {texts.you}</span>}
        </div>
      ),
    },
    { key: 'email', title: texts.email, sort: 'email', cell: ({ email }) => email },
    { key: 'role', title: texts.role, cell: ({ role }) => <Role role={role} /> },
    {
      key: 'since',
      title: texts.since,
      sort: 'created_at',
      kind: 'short',
      cell: ({ created_at, has_password }) => (
        <>
          {formatDay(created_at)}
          {!has_password && <small>{texts.pending}</small>}
        </>
      ),
    },
    {
      key: 'actions',
      title: words.value.records.actions,
      kind: 'actions',
      cell: (user) =>
        isAdmin.value && !user.has_password && <NewLink userId={user.id} of={nameOf(user)} />,
    },
  ];
}

function Role({ role }: { readonly role: string }) {
  const { users: texts } = words.value;
  if (role === 'admin') return <span class="badge accent">{texts.roles.admin}</span>;
  return <span class="badge">{texts.roles.member}</span>;
}
