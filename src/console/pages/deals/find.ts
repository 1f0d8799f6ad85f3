/** What a deal refers to, found by typing. */
import { FindContactsDocument, FindProductsDocument } from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import type { Option } from '../../components/select.tsx';

export async function findContacts(text: string): Promise<readonly Option[]> {
  const query = { full_name_or_email_or_phone_cont: text, s: 'full_name' };
  const { contacts } = await ask(FindContactsDocument, { query });
  return contacts.data.map(({ id, full_name, email, phone }) => ({
    value: String(id),
    text: [full_name, email || phone].filter(Boolean).join(' · '),
  }));
}

export async function findProducts(text: string): Promise<readonly Option[]> {
  const query = { name_or_identifier_cont: text, s: 'name' };
  const { products } = await ask(FindProductsDocument, { query });
  return products.data.map(({ id, name, identifier }) => ({
    value: String(id),
    text: [name, identifier].filter(Boolean).join(' · '),
  }));
}
