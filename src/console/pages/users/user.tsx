import { useState } from 'preact/hooks';
import {
  TokensDocument,
  type UserDetailsFragment,
  UserDocument,
} from '../../../generated/console.ts';
import { useAnswer } from '../../api/use_answer.ts';
import { nameOf } from '../../api/use_people.ts';
import { who } from '../../api/who.ts';
import { Answer } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { PageHeader } from '../../components/page_header.tsx';
import type { PageProps } from '../../page.ts';
import { words } from '../../words/words.ts';
import { SessionList } from '../sessions/list.tsx';
import { TokenTable } from '../tokens/table.tsx';
import { UserForm } from './form.tsx';
import { NewLink } from './new_link.tsx';
import { RemovalDialog } from './removal.tsx';

/** One person of the account, for admins. */
export function UserPage({ params }: PageProps) {
  const answer = useAnswer(UserDocument, { id: Number(params.id) });
  return (
    <Answer of={answer}>
      {({ user }) => <Details key={user.id} user={user} onChange={answer.reload} />}
    </Answer>
  );
}

function Details({
  user,
  onChange,
}: {
  readonly user: UserDetailsFragment;
  readonly onChange: () => Promise<void>;
}) {
  const { users: texts, shell } = words.value;
  const [isLeaving, setLeaving] = useState(false);
  const about = user.has_password ? user.email : `${user.email} · ${texts.pending}`;
  return (
    <>
      <PageHeader title={nameOf(user)} about={about}>
        <NewLink userId={user.id} />
        {user.id !== who.value?.me.user.id && (
          <Button icon="remove" onClick={() => setLeaving(true)}>
            {texts.remove}
          </Button>
        )}
      </PageHeader>
      <section class="card">
        <UserForm user={user} action={shell.save} onSaved={onChange} />
      </section>
      <UserTokens id={user.id} />
      <SessionList query={{ user_id_eq: user.id }} />
      {isLeaving && <RemovalDialog user={user} onClose={() => setLeaving(false)} />}
    </>
  );
}

function UserTokens({ id }: { readonly id: number }) {
  const { users: texts } = words.value;
  const answer = useAnswer(TokensDocument, { query: { user_id_eq: id, s: 'id desc' } });
  return (
    <section class="part">
      <h2>{texts.tokens}</h2>
      <Answer of={answer}>
        {({ tokens: { data } }) =>
          data.length === 0 ? (
            <p class="soft">{texts.noTokens}</p>
          ) : (
            <TokenTable tokens={data} isLoading={answer.isLoading} onChange={answer.reload} />
          )
        }
      </Answer>
    </section>
  );
}
