import { AttributesList } from '../../records/attributes_list.tsx';
import { Detail } from '../../records/detail.tsx';
import { Labels } from '../../records/labels.tsx';
import { formatDay } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import type { Contact } from './contact_form.ts';

/** The fields of a contact. */
export function ContactDetails({ contact }: { readonly contact: Contact }) {
  const { contacts: texts, records } = words.value;
  const { email, phone, label_list, custom_attributes, created_at } = contact;
  return (
    <section class="card">
      <h2>{records.details}</h2>
      <dl class="details">
        <Detail title={texts.email}>
          {email && <a href={`mailto:${encodeURIComponent(email)}`}>{email}</a>}
        </Detail>
        <Detail title={texts.phone}>
          {phone && <a href={`tel:${encodeURIComponent(phone).replace('%2B', '+')}`}>{phone}</a>}
        </Detail>
        <Detail title={records.labels}>
          {label_list.length > 0 && <Labels labels={label_list} />}
        </Detail>
        <Detail title={records.created}>{formatDay(created_at)}</Detail>
        <AttributesList attributes={custom_attributes} />
      </dl>
    </section>
  );
}
