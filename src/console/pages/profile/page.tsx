import { useState } from 'preact/hooks';
import { MyselfDocument } from '../../../generated/console.ts';
import { useAnswer } from '../../api/use_answer.ts';
import { isAdmin, who } from '../../api/who.ts';
import { Answer } from '../../components/answer.tsx';
import { PageHeader } from '../../components/page_header.tsx';
import { words } from '../../words/words.ts';
import { SessionList } from '../sessions/list.tsx';
import { UserForm } from '../users/form.tsx';
import { Notifications } from './notifications.tsx';
import { PasswordForm } from './password.tsx';

/** What concerns the person at work alone. */
export function ProfilePage() {
  const { profile: texts, shell } = words.value;
  const answer = useAnswer(MyselfDocument, {});
  // A new password empties its form, and ends the other sessions: both begin again.
  const [changes, setChanges] = useState(0);
  return (
    <>
      <PageHeader title={texts.title} about={isAdmin.value ? undefined : texts.askAdmin} />
      <Answer of={answer}>
        {({ me: { user } }) => (
          <>
            <section class="card">
              <UserForm user={user} action={shell.save} onSaved={answer.reload} />
            </section>
            <Notifications isWanted={user.notifications.webpush_notify_on_event_expired} />
          </>
        )}
      </Answer>
      <section class="card">
        <h2>{texts.password}</h2>
        <p>{texts.aboutPassword}</p>
        <PasswordForm key={changes} onChanged={() => setChanges(changes + 1)} />
      </section>
      <SessionList key={changes} query={{ user_id_eq: who.value?.me.user.id }} />
    </>
  );
}
