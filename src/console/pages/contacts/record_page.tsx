import { useState } from 'preact/hooks';
import {
  ContactDocument,
  type ContactInput,
  DeleteContactDocument,
  UpdateContactDocument,
} from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { useAnswer } from '../../api/use_answer.ts';
import { Answer } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { changes } from '../../components/changes.ts';
import { PageHeader } from '../../components/page_header.tsx';
import { tell } from '../../components/toast.tsx';
import type { PageProps } from '../../page.ts';
import { noteActivityChange } from '../../records/activities/plan.ts';
import { contactName } from '../../records/contact_name.ts';
import { restore } from '../../records/restore.ts';
import { NoteButton, Timeline } from '../../records/timeline/timeline.tsx';
import { useFollow } from '../../records/use_follow.ts';
import { useRemoval } from '../../records/use_removal.ts';
import { formatNumber } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { ContactDeals } from './contact_deals.tsx';
import { ContactDetails } from './contact_details.tsx';
import { ContactDialog } from './contact_dialog.tsx';
import { type Contact, inputOf, valuesOf } from './contact_form.ts';

/** Everything about one contact. */
export function ContactPage({ params }: PageProps) {
  const id = Number(params.id) || 0;
  const answer = useAnswer(ContactDocument, { id });
  useFollow('CONTACTS', { id_eq: id }, answer.reload);
  useFollow('EVENTS', { contact_id_eq: id }, noteActivityChange);
  return (
    <Answer of={answer}>
      {({ contact }) => <ContactSheet key={contact.id} contact={contact} reload={answer.reload} />}
    </Answer>
  );
}

interface Props {
  readonly contact: Contact;
  readonly reload: () => Promise<void>;
}

function ContactSheet({ contact, reload }: Props) {
  const { contacts: texts, records, shell } = words.value;
  const [isEdited, setEdited] = useState(false);
  const remove = useRemoval('/contacts');
  const { id, deals } = contact;
  const name = contactName(contact);
  const update = async (input: ContactInput, version?: string) => {
    await ask(UpdateContactDocument, { id, input, version });
    await reload();
  };
  const askToRemove = () =>
    remove(
      { name, title: texts.remove(name), text: texts.whyRemove(formatNumber(deals.length)) },
      () => ask(DeleteContactDocument, { id }),
      () => restore('contact', id),
    );
  return (
    <>
      <PageHeader title={name}>
        <NoteButton />
        <Button icon="edit" aria-label={records.editOf(name)} onClick={() => setEdited(true)}>
          {records.edit}
        </Button>
        <Button icon="remove" aria-label={records.removeOf(name)} onClick={askToRemove}>
          {records.remove}
        </Button>
      </PageHeader>
      <div class="record">
        <div>
          <ContactDetails contact={contact} update={update} reload={reload} />
          <ContactDeals contact={contact} />
        </div>
        <Timeline subject={{ kind: 'contact', id }} version={contact.updated_at} />
      </div>
      {isEdited && (
        <ContactDialog
          contact={contact}
          title={texts.edit}
          reload={reload}
          onClose={() => setEdited(false)}
          save={async (after, version) => {
            const before = inputOf(valuesOf(contact));
            await update(changes(before, after), version);
            setEdited(false);
            tell(shell.saved, () => update(changes(after, before)));
          }}
        />
      )}
    </>
  );
}
