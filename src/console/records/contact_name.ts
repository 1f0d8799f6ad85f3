import { words } from '../words/words.ts';

interface Contact {
  readonly full_name: string;
  readonly email: string;
  readonly phone: string;
}

/** What a contact is called: integrations write some that have an address or a number alone. */
export const contactName = ({ full_name, email, phone }: Contact): string =>
  full_name || email || phone || words.value.records.untitled;
