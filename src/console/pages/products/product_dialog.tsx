import {
  CreateProductDocument,
  type ProductInput,
  type ProductsQuery,
  UpdateProductDocument,
} from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { changes } from '../../components/changes.ts';
import { TextArea, TextField } from '../../components/field.tsx';
import { FormDialog } from '../../components/form_dialog.tsx';
import { tell } from '../../components/toast.tsx';
import { useForm } from '../../components/use_form.ts';
import { centsOf, typedCents, wholeOf } from '../../records/amounts.ts';
import { type Attribute, attributesOf, recordOf } from '../../records/attributes.ts';
import { AttributesField } from '../../records/attributes_field.tsx';
import { words } from '../../words/words.ts';

export type Product = ProductsQuery['list']['data'][number];

interface Values {
  readonly name: string;
  readonly identifier: string;
  readonly description: string;
  readonly amount_in_cents: string;
  readonly quantity_available: string;
  readonly custom_attributes: readonly Attribute[];
}

const valuesOf = (product?: Product): Values => ({
  name: product?.name ?? '',
  identifier: product?.identifier ?? '',
  description: product?.description ?? '',
  amount_in_cents: product ? typedCents(product.amount_in_cents) : '',
  quantity_available: String(product?.quantity_available ?? 0),
  custom_attributes: attributesOf(product?.custom_attributes ?? {}),
});

const inputOf = (values: Values) => ({
  name: values.name,
  identifier: values.identifier,
  description: values.description,
  amount_in_cents: centsOf(values.amount_in_cents || '0', 'amount_in_cents'),
  quantity_available: wholeOf(values.quantity_available || '0', 'quantity_available'),
  custom_attributes: recordOf(values.custom_attributes),
});

/** Creates a product, or edits one. */
export function ProductDialog({
  product,
  onClose,
  onSaved,
}: {
  readonly product: Product | undefined;
  readonly onClose: () => void;
  readonly onSaved: () => Promise<void>;
}) {
  const { products, records, shell } = words.value;
  const update = async (id: number, input: ProductInput, version?: string) => {
    await ask(UpdateProductDocument, { id, input, version });
    await onSaved();
  };
  const form = useForm(
    valuesOf(product),
    async (values, _, version) => {
      const after = inputOf(values);
      if (product) {
        const before = inputOf(valuesOf(product));
        await update(product.id, changes(before, after), version);
        tell(shell.saved, () => update(product.id, changes(after, before)));
      } else {
        await ask(CreateProductDocument, { input: after });
        await onSaved();
        tell(shell.saved);
      }
      onClose();
    },
    product && { version: product.version, reload: onSaved },
  );
  return (
    <FormDialog
      title={product ? products.edit : products.create}
      form={form}
      action={shell.save}
      onClose={onClose}
    >
      <TextField {...form.field('name')} label={records.name} autoFocus />
      <TextField {...form.field('identifier')} label={products.identifier} />
      <TextArea {...form.field('description')} label={products.description} rows={3} />
      <div class="columns">
        <TextField
          {...form.field('amount_in_cents')}
          label={products.price}
          inputMode="decimal"
          placeholder="0.00"
        />
        <TextField
          {...form.field('quantity_available')}
          label={products.available}
          inputMode="numeric"
        />
      </div>
      <AttributesField {...form.field('custom_attributes')} />
    </FormDialog>
  );
}
