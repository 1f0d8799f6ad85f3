import { blank } from '../../api/refusal.ts';
import { TextField } from '../../components/field.tsx';
import { FormDialog } from '../../components/form_dialog.tsx';
import { useForm } from '../../components/use_form.ts';
import { AttributesField } from '../../records/attributes_field.tsx';
import { words } from '../../words/words.ts';
import { type Contact, inputOf, valuesOf } from './contact_form.ts';

/** Asks for a contact's fields. */
export function ContactDialog({
  contact,
  title,
  save,
  reload,
  onClose,
}: {
  /** What to begin with. */
  readonly contact?: Contact;
  readonly title: string;
  readonly save: (input: ReturnType<typeof inputOf>, version?: string) => Promise<void>;
  /** Loads the contact anew. */
  readonly reload?: () => Promise<void>;
  readonly onClose: () => void;
}) {
  const { contacts, records, shell } = words.value;
  const form = useForm(
    valuesOf(contact),
    async (values, _, version) => {
      const input = inputOf(values);
      // A slip of Enter saves no contact that says nothing.
      const isBlank = Object.values(input).every((value) => Object.keys(value).length === 0);
      if (isBlank) throw blank('full_name');
      await save(input, version);
    },
    contact && reload && { version: contact.version, reload },
  );
  return (
    <FormDialog title={title} form={form} action={shell.save} onClose={onClose}>
      <TextField {...form.field('full_name')} label={records.name} autoFocus />
      <TextField {...form.field('email')} label={contacts.email} type="email" />
      <TextField {...form.field('phone')} label={contacts.phone} type="tel" />
      <TextField {...form.field('label_list')} label={records.labels} hint={records.labelsHint} />
      <AttributesField {...form.field('custom_attributes')} />
    </FormDialog>
  );
}
