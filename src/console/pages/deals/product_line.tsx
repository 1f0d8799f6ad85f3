import { AddDealProductDocument, UpdateDealProductDocument } from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { changes } from '../../components/changes.ts';
import { TextField } from '../../components/field.tsx';
import { FormDialog } from '../../components/form_dialog.tsx';
import { Picker } from '../../components/picker.tsx';
import type { Option } from '../../components/select.tsx';
import { tell } from '../../components/toast.tsx';
import { useForm } from '../../components/use_form.ts';
import { centsOf, typedCents, wholeOf } from '../../records/amounts.ts';
import { words } from '../../words/words.ts';
import { findProducts } from './find.ts';
import type { Deal } from './use_deal.ts';

export type Line = Deal['deal_products'][number];

interface Values {
  readonly product_id: Option | undefined;
  readonly quantity: string;
  readonly unit_amount_in_cents: string;
}

const valuesOf = (line?: Line): Values => ({
  product_id: line && { value: String(line.product_id), text: line.product_name },
  quantity: String(line?.quantity ?? 1),
  unit_amount_in_cents: line ? typedCents(line.unit_amount_in_cents) : '',
});

const inputOf = ({ quantity, unit_amount_in_cents: price }: Values) => ({
  quantity: wholeOf(quantity, 'quantity'),
  // Null is the product's own price.
  unit_amount_in_cents: price.trim() === '' ? null : centsOf(price, 'unit_amount_in_cents'),
});

/** Adds a product to a deal, or changes how many of it for how much. */
export function ProductLine({
  dealId,
  line,
  reload,
  onClose,
}: {
  readonly dealId: number;
  readonly line: Line | undefined;
  readonly reload: () => Promise<void>;
  readonly onClose: () => void;
}) {
  const { deals: texts, products, shell } = words.value;
  const form = useForm(
    valuesOf(line),
    async (values, _, version) => {
      const input = inputOf(values);
      if (line) {
        const before = inputOf(valuesOf(line));
        const change = async (to: Partial<typeof input>, expected?: string) => {
          await ask(UpdateDealProductDocument, { id: line.id, input: to, version: expected });
          await reload();
        };
        await change(changes(before, input), version);
        tell(shell.saved, () => change(changes(input, before)));
      } else {
        const product_id = values.product_id ? Number(values.product_id.value) : null;
        await ask(AddDealProductDocument, { input: { ...input, product_id, deal_id: dealId } });
        await reload();
        tell(shell.saved);
      }
      onClose();
    },
    line && { version: line.version, reload },
  );
  return (
    <FormDialog
      title={line ? line.product_name : texts.addProduct}
      form={form}
      action={shell.save}
      onClose={onClose}
    >
      {!line && (
        <Picker {...form.field('product_id')} label={texts.product} search={findProducts} />
      )}
      <div class="columns">
        <TextField {...form.field('quantity')} label={texts.quantity} inputMode="numeric" />
        <TextField
          {...form.field('unit_amount_in_cents')}
          label={products.price}
          hint={line ? undefined : texts.priceHint}
          inputMode="decimal"
        />
      </div>
    </FormDialog>
  );
}
