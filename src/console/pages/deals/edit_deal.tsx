import { changes } from '../../components/changes.ts';
import { TextField } from '../../components/field.tsx';
import { FormDialog } from '../../components/form_dialog.tsx';
import { Picker } from '../../components/picker.tsx';
import type { Option } from '../../components/select.tsx';
import { tell } from '../../components/toast.tsx';
import { useForm } from '../../components/use_form.ts';
import { type Attribute, attributesOf, recordOf } from '../../records/attributes.ts';
import { AttributesField } from '../../records/attributes_field.tsx';
import { contactName } from '../../records/contact_name.ts';
import { words } from '../../words/words.ts';
import { createContact, findContacts } from './find.ts';
import type { Deal, Work } from './use_deal.ts';

interface Values {
  readonly name: string;
  readonly contact_id: Option | undefined;
  readonly custom_attributes: readonly Attribute[];
}

const valuesOf = ({ name, contact, custom_attributes }: Deal): Values => ({
  name,
  contact_id: { value: String(contact.id), text: contactName(contact) },
  custom_attributes: attributesOf(custom_attributes),
});

const inputOf = ({ name, contact_id, custom_attributes }: Values) => ({
  name,
  contact_id: Number(contact_id?.value),
  custom_attributes: recordOf(custom_attributes),
});

/** Edits what is not changed elsewhere on the page. */
export function EditDeal({
  deal,
  update,
  reload,
  onClose,
}: Work & { readonly onClose: () => void }) {
  const { deals, records, shell } = words.value;
  const form = useForm(
    valuesOf(deal),
    async (values, _, version) => {
      const before = inputOf(valuesOf(deal));
      const after = inputOf(values);
      await update(changes(before, after), version);
      tell(shell.saved, () => update(changes(after, before)));
      onClose();
    },
    { version: deal.version, reload },
  );
  return (
    <FormDialog title={deals.edit} form={form} action={shell.save} onClose={onClose}>
      <TextField {...form.field('name')} label={records.name} autoFocus />
      <Picker
        {...form.field('contact_id')}
        label={deals.contact}
        search={findContacts}
        create={createContact}
      />
      <AttributesField {...form.field('custom_attributes')} />
    </FormDialog>
  );
}
