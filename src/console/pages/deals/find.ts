/** What a deal refers to, found by typing. */
import {
  CreateFoundContactDocument,
  FindContactsDocument,
  FindProductsDocument,
} from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import type { Option } from '../../components/select.tsx';

/** Between the parts of what a choice says. */
const between = ' · ';

/** What a contact that was found is called, without its address. */
export const nameIn = ({ text }: Option): string => text.split(between, 1)[0] ?? '';

export async function findContacts(text: string): Promise<readonly Option[]> {
  // Without a text all of them are there, in the order of their names.
  const query = text.trim() === '' ? { s: 'full_name' } : { q: text };
  const { contacts } = await ask(FindContactsDocument, { query });
  return contacts.data.map(({ id, full_name, email, phone }) => ({
    value: String(id),
    text: [full_name, email || phone].filter(Boolean).join(between),
  }));
}

/** What somebody typed to find a contact: an e-mail address, a phone number or a name. */
export const fieldOf = (text: string): 'email' | 'phone' | 'full_name' =>
  /^[^\s@]+@[^\s@]+$/.test(text) ? 'email' : /^[+\d][\d ().-]+$/.test(text) ? 'phone' : 'full_name';

/** Creates a contact of what was typed. */
export async function createContact(text: string): Promise<Option> {
  const input = { [fieldOf(text)]: text };
  const { create_contact } = await ask(CreateFoundContactDocument, { input });
  return { value: String(create_contact.id), text };
}

export async function findProducts(text: string): Promise<readonly Option[]> {
  const query = text.trim() === '' ? { s: 'name' } : { q: text };
  const { products } = await ask(FindProductsDocument, { query });
  return products.data.map(({ id, name, identifier }) => ({
    value: String(id),
    text: [name, identifier].filter(Boolean).join(between),
  }));
}
