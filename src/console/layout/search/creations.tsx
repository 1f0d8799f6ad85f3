import { useLocation } from 'wouter-preact';
import { CreateContactDocument } from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { ContactDialog } from '../../pages/contacts/contact_dialog.tsx';
import { NewDeal } from '../../pages/deals/new_deal.tsx';
import { words } from '../../words/words.ts';

interface Props {
  readonly onClose: () => void;
}

function NewContact({ onClose }: Props) {
  const [, navigate] = useLocation();
  return (
    <ContactDialog
      title={words.value.search.newContact}
      onClose={onClose}
      save={async (input) => {
        const { create_contact } = await ask(CreateContactDocument, { input });
        if (create_contact) navigate(`/contacts/${create_contact.id}`);
      }}
    />
  );
}

/** What can be made from anywhere. */
export const creations = {
  deal: ({ onClose }: Props) => <NewDeal onClose={onClose} />,
  contact: NewContact,
} as const;

export type Creation = keyof typeof creations;
