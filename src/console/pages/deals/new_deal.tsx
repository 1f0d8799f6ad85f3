import { useLocation } from 'wouter-preact';
import { type ChoicesQuery, CreateDealDocument } from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { TextField } from '../../components/field.tsx';
import { FormDialog } from '../../components/form_dialog.tsx';
import { Picker } from '../../components/picker.tsx';
import { type Option, Select } from '../../components/select.tsx';
import { useForm } from '../../components/use_form.ts';
import { stageOptions, useChoices } from '../../records/choices.ts';
import { words } from '../../words/words.ts';
import { createContact, findContacts } from './find.ts';

interface Props {
  readonly contact?: Option;
  /** Id of the pipeline at whose first stage it begins, unless another is chosen. */
  readonly pipeline?: string;
  readonly onClose: () => void;
}

/** Creates a deal, and leads to it. */
export function NewDeal(props: Props) {
  const { data } = useChoices();
  return data ? <NewDealForm choices={data} {...props} /> : null;
}

function NewDealForm({
  choices,
  contact,
  pipeline,
  onClose,
}: Props & { readonly choices: ChoicesQuery }) {
  const { deals, records, shell } = words.value;
  const [, navigate] = useLocation();
  const { data: pipelines } = choices.all_pipelines;
  const first = (pipelines.find(({ id }) => String(id) === pipeline) ?? pipelines[0])?.stages[0];
  const initial = { name: '', contact_id: contact, stage_id: String(first?.id ?? '') };
  const form = useForm(initial, async ({ name, contact_id, stage_id }) => {
    const input = {
      name,
      contact_id: contact_id ? Number(contact_id.value) : null,
      stage_id: stage_id ? Number(stage_id) : null,
    };
    const { create_deal } = await ask(CreateDealDocument, { input });
    navigate(`/deals/${create_deal.id}`);
  });
  return (
    <FormDialog title={deals.create} form={form} action={shell.save} onClose={onClose}>
      <TextField {...form.field('name')} label={records.name} autoFocus />
      <Picker
        {...form.field('contact_id')}
        label={deals.contact}
        hint={deals.contactHint}
        search={findContacts}
        create={createContact}
      />
      <Select {...form.field('stage_id')} label={records.stage} options={stageOptions(choices)} />
    </FormDialog>
  );
}
