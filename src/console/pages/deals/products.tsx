import { useState } from 'preact/hooks';
import { RemoveDealProductDocument } from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { attempt, tellForLong } from '../../components/toast.tsx';
import { latest } from '../../records/latest.ts';
import { restore } from '../../records/restore.ts';
import { formatMoney, formatNumber } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { type Line, ProductLine } from './product_line.tsx';
import type { Work } from './use_deal.ts';

/** What is sold by the deal, and for how much. */
export function DealProducts({ deal, reload }: Work) {
  const { deals: texts, products } = words.value;
  const [edited, edit] = useState<Line | 'new'>();
  const remove = async ({ id, product_name }: Line) => {
    if (!(await attempt(() => ask(RemoveDealProductDocument, { id })))) return;
    tellForLong(texts.productRemoved(product_name), async () => {
      await restore('deal_product', id);
      await reload();
    });
    await reload();
  };
  return (
    <section class="card">
      <header>
        <h2>{products.title}</h2>
        <Button icon="add" onClick={() => edit('new')}>
          {texts.addProduct}
        </Button>
      </header>
      {deal.deal_products.length === 0 ? (
        <p class="soft">{texts.noProducts}</p>
      ) : (
        <>
          <Table
            caption={products.title}
            columns={columns(edit, remove)}
            rows={deal.deal_products}
            keyOf={({ id }) => id}
          />
          <p class="total">
            {texts.total} <strong>{formatMoney(deal.total_deal_products_amount_in_cents)}</strong>
          </p>
        </>
      )}
      {edited && (
        <ProductLine
          dealId={deal.id}
          line={edited === 'new' ? undefined : latest(edited, deal.deal_products)}
          reload={reload}
          onClose={() => edit(undefined)}
        />
      )}
    </section>
  );
}

function columns(
  edit: (line: Line) => void,
  remove: (line: Line) => void,
): readonly Column<Line>[] {
  const { deals: texts, products, records } = words.value;
  return [
    {
      key: 'name',
      title: records.name,
      cell: (line) => (
        <>
          {line.product_name}
          {line.product_identifier && <small>{line.product_identifier}</small>}
        </>
      ),
    },
    {
      key: 'quantity',
      title: texts.quantity,
      kind: 'number',
      cell: ({ quantity }) => formatNumber(quantity),
    },
    {
      key: 'price',
      title: products.price,
      kind: 'number',
      cell: ({ unit_amount_in_cents }) => formatMoney(unit_amount_in_cents),
    },
    {
      key: 'total',
      title: texts.total,
      kind: 'number',
      cell: ({ total_amount_in_cents }) => formatMoney(total_amount_in_cents),
    },
    {
      key: 'actions',
      title: records.actions,
      kind: 'actions',
      cell: (line) => (
        <>
          <IconButton
            icon="edit"
            label={records.editOf(line.product_name)}
            onClick={() => edit(line)}
          />
          <IconButton
            icon="remove"
            label={records.removeOf(line.product_name)}
            onClick={() => remove(line)}
          />
        </>
      ),
    },
  ];
}
