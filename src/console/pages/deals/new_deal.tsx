import { useRef } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import {
  AddDealProductDocument,
  CreateDealDocument,
  CreateFoundContactDocument,
} from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { blank } from '../../api/refusal.ts';
import { TextField } from '../../components/field.tsx';
import { FormDialog } from '../../components/form_dialog.tsx';
import { Picker } from '../../components/picker.tsx';
import { RefusalNotice } from '../../components/refusal_notice.tsx';
import { type Option, Select } from '../../components/select.tsx';
import { useForm } from '../../components/use_form.ts';
import { centsOf, wholeOf } from '../../records/amounts.ts';
import { askChoices, firstStageIn, stageOptions, useChoices } from '../../records/choices.ts';
import { words } from '../../words/words.ts';
import { fieldOf, findContacts, findProducts, nameIn } from './find.ts';

interface Props {
  readonly contact?: Option;
  /** Id of the pipeline at whose first stage it begins, unless another is chosen. */
  readonly pipeline?: string;
  /** Id of the stage at which it begins, unless another is chosen. */
  readonly stage?: string;
  readonly onClose: () => void;
}

/** Instead of the id of a contact: one that is created with the deal. */
const newPerson = 'new';

/** What a deal is called unless somebody names it. */
const nameFor = (person: Option | undefined): string =>
  person ? words.value.deals.nameFor(nameIn(person)) : '';

const valuesOf = (contact: Option | undefined) => ({
  name: nameFor(contact),
  contact_id: contact,
  full_name: '',
  email: '',
  phone: '',
  /** Empty for the usual one. */
  stage_id: '',
  product: undefined as Option | undefined,
  quantity: '1',
  price: '',
});

type Values = ReturnType<typeof valuesOf>;

/** Creates a deal, and leads to it. */
export function NewDeal({ contact, pipeline, stage, onClose }: Props) {
  const { contacts, deals, products, records, shell } = words.value;
  const [, navigate] = useLocation();
  // Loaded while the window is already open, so that what is typed right after the click goes into its fields.
  const { data: choices, refusal, reload } = useChoices();
  const usual = stage ?? (choices ? firstStageIn(choices, pipeline) : '');
  // What was written before something else was refused is not written again.
  const written = useRef<SavedParts>({});
  const form = useForm(valuesOf(contact), async (values) => {
    const stage_id = values.stage_id || usual || firstStageIn(await askChoices(), pipeline);
    navigate(`/deals/${await create({ ...values, stage_id }, written.current)}`);
  });
  const isNew = form.values.contact_id?.value === newPerson;
  /** A deal is called after the contact that was chosen, unless somebody named it. */
  const take = (chosen: Option | undefined) => {
    const { value, onChange } = form.field('name');
    if (['', nameFor(form.values.contact_id)].includes(value.trim())) onChange(nameFor(chosen));
    form.field('contact_id').onChange(chosen);
  };
  return (
    <FormDialog title={deals.create} form={form} action={shell.save} onClose={onClose}>
      <Picker
        {...form.field('contact_id')}
        autoFocus={!contact}
        onChange={take}
        label={deals.contact}
        hint={deals.contactHint}
        search={findContacts}
        create={async (text) => {
          form.field(fieldOf(text)).onChange(text);
          return { value: newPerson, text };
        }}
      />
      {isNew && (
        <fieldset class="columns">
          <legend class="unseen">{deals.newPerson}</legend>
          <TextField {...form.field('full_name')} label={deals.personName} />
          <TextField {...form.field('email')} label={contacts.email} type="email" />
          <TextField {...form.field('phone')} label={contacts.phone} type="tel" />
        </fieldset>
      )}
      <TextField
        {...form.field('name')}
        label={records.name}
        autoFocus={Boolean(contact)}
        onFocus={({ currentTarget }) => currentTarget.select()}
      />
      {refusal && !choices && <RefusalNotice refusal={refusal} again={reload} />}
      <Select
        {...form.field('stage_id')}
        value={form.values.stage_id || usual}
        label={records.stage}
        options={choices ? stageOptions(choices) : []}
      />
      <Picker {...form.field('product')} label={deals.product} search={findProducts} />
      {form.values.product && (
        <div class="columns">
          <TextField {...form.field('quantity')} label={deals.quantity} inputMode="numeric" />
          <TextField
            {...form.field('price')}
            label={products.price}
            hint={deals.priceHint}
            inputMode="decimal"
          />
        </div>
      )}
    </FormDialog>
  );
}

/** What of a deal was written already. */
interface SavedParts {
  contact?: number;
  deal?: number;
}

/**
 * Creates the deal, before it its contact and after it its product.
 * @returns the id of the deal
 * @throws {Refusal} what the service refused, or a field that is missing
 */
async function create(values: Values, written: SavedParts): Promise<number> {
  const { name, contact_id, full_name, email, phone, stage_id, product } = values;
  const line = product && {
    product_id: Number(product.value),
    quantity: wholeOf(values.quantity, 'quantity'),
    ...(values.price.trim() !== '' && {
      unit_amount_in_cents: centsOf(values.price, 'price'),
    }),
  };
  if (!contact_id) throw blank('contact_id');
  if (name.trim() === '') throw blank('name');
  if (stage_id === '') throw blank('stage_id');
  if (contact_id.value === newPerson && written.contact === undefined) {
    const input = { full_name, email, phone };
    written.contact = (await ask(CreateFoundContactDocument, { input })).create_contact.id;
  }
  const contact = contact_id.value === newPerson ? written.contact : Number(contact_id.value);
  if (written.deal === undefined) {
    const input = { name, contact_id: contact, stage_id: Number(stage_id) };
    written.deal = (await ask(CreateDealDocument, { input })).create_deal.id;
  }
  const deal = written.deal;
  if (line) await ask(AddDealProductDocument, { input: { ...line, deal_id: deal } });
  return deal;
}
