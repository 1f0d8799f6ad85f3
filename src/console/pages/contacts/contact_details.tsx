import type { ContactInput } from '../../../generated/console.ts';
import { InPlace } from '../../components/in_place.tsx';
import { tell } from '../../components/toast.tsx';
import { AttributesList } from '../../records/attributes_list.tsx';
import { Detail } from '../../records/detail.tsx';
import { Labels } from '../../records/labels.tsx';
import { EmailLink, PhoneLink } from '../../records/reach.tsx';
import { formatDay } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { type Contact, inputOf, valuesOf } from './contact_form.ts';

type Field = 'full_name' | 'email' | 'phone' | 'label_list';

/** The fields of a contact, each of which is changed where it stands. */
export function ContactDetails({
  contact,
  update,
  reload,
}: {
  readonly contact: Contact;
  readonly update: (input: ContactInput, version?: string) => Promise<void>;
  readonly reload: () => Promise<void>;
}) {
  const { contacts: texts, records, shell } = words.value;
  const { version, full_name, email, phone, label_list, custom_attributes, created_at } = contact;
  const values = valuesOf(contact);
  const edit = (name: Field, label: string) => ({
    name,
    label,
    value: values[name],
    version,
    reload,
    save: async (value: string, known?: string) => {
      const [before, after] = [inputOf(values), inputOf({ ...values, [name]: value })];
      await update({ [name]: after[name] }, known);
      tell(shell.saved, () => update({ [name]: before[name] }));
    },
  });
  return (
    <section class="card">
      <h2>{records.details}</h2>
      <dl class="details">
        <Detail title={records.name}>
          <InPlace {...edit('full_name', records.name)}>{full_name}</InPlace>
        </Detail>
        <Detail title={texts.email}>
          <InPlace {...edit('email', texts.email)} type="email" hasPencil={email !== ''}>
            {email && <EmailLink email={email} />}
          </InPlace>
        </Detail>
        <Detail title={texts.phone}>
          <InPlace {...edit('phone', texts.phone)} type="tel" hasPencil={phone !== ''}>
            {phone && <PhoneLink phone={phone} />}
          </InPlace>
        </Detail>
        <Detail title={records.labels}>
          <InPlace {...edit('label_list', records.labels)} hasPencil={label_list.length > 0}>
            {label_list.length > 0 && <Labels labels={label_list} />}
          </InPlace>
        </Detail>
        <Detail title={records.created}>{formatDay(created_at)}</Detail>
        <AttributesList
          attributes={custom_attributes}
          version={version}
          reload={reload}
          save={(attributes, known) => update({ custom_attributes: attributes }, known)}
        />
      </dl>
    </section>
  );
}
