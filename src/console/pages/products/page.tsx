import { useState } from 'preact/hooks';
import { DeleteProductDocument, ProductsDocument } from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { useAnswer } from '../../api/use_answer.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { confirm } from '../../components/confirm.tsx';
import { Listing } from '../../components/listing.tsx';
import { NarrowMenu } from '../../components/narrow_menu.tsx';
import { PageHeader } from '../../components/page_header.tsx';
import { SearchField } from '../../components/search_field.tsx';
import type { Column } from '../../components/table.tsx';
import { attempt, tellForLong } from '../../components/toast.tsx';
import { useFilters } from '../../components/use_filters.ts';
import { columnsOf } from '../../records/columns/columns.ts';
import { ColumnsButton } from '../../records/columns/columns_button.tsx';
import { FirstStep } from '../../records/first_step.tsx';
import { latest } from '../../records/latest.ts';
import { restore } from '../../records/restore.ts';
import { Views } from '../../records/views/views.tsx';
import { formatMoney, formatNumber } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { type Product, ProductDialog } from './product_dialog.tsx';

const noFilter = { text: '' };

const defaults = { ...noFilter, sort: 'name asc', columns: '' };

/** What the account sells. */
export function ProductsPage() {
  const { products: texts, records } = words.value;
  const [filters, change] = useFilters({ ...defaults, page: '1' }, true);
  const [edited, edit] = useState<Product | 'new'>();
  const query = { q: filters.text, s: filters.sort };
  const answer = useAnswer(ProductsDocument, { query, page: Number(filters.page) || 1 });
  const remove = async ({ id, name }: Product) => {
    const question = {
      title: texts.remove(name),
      text: texts.whyRemove,
      action: records.remove,
    };
    if (!(await confirm(question))) return;
    const isGone = await attempt(() => ask(DeleteProductDocument, { id }), {
      VALIDATION_FAILED: texts.inUse,
    });
    if (isGone) {
      tellForLong(records.removed(name), async () => {
        await restore('product', id);
        await answer.reload();
      });
    }
    await answer.reload();
  };
  const all = columns(edit, remove);
  const create = (
    <Button kind="primary" icon="add" onClick={() => edit('new')}>
      {texts.create}
    </Button>
  );
  return (
    <>
      <PageHeader title={texts.title} about={texts.about}>
        <NarrowMenu>
          <ColumnsButton list="products" all={all} filters={filters} change={change} />
        </NarrowMenu>
        {create}
      </PageHeader>
      <div class="filters">
        <SearchField label={records.search} filters={filters} change={change} />
      </div>
      <Views list="products" filters={filters} defaults={defaults} query={query} />
      <Listing
        of={answer}
        caption={texts.title}
        columns={columnsOf(all, filters.columns).shown}
        filters={filters}
        change={change}
        none={noFilter}
        empty={<FirstStep title={texts.none} why={texts.whyNone} create={create} />}
      />
      {edited && (
        <ProductDialog
          product={edited === 'new' ? undefined : latest(edited, answer.data?.list.data)}
          onClose={() => edit(undefined)}
          onSaved={answer.reload}
        />
      )}
    </>
  );
}

function columns(
  edit: (product: Product) => void,
  remove: (product: Product) => void,
): readonly Column<Product>[] {
  const { products: texts, records } = words.value;
  return [
    {
      key: 'name',
      title: records.name,
      sort: 'name',
      cell: (product) => (
        <>
          <button type="button" class="link two-lines" onClick={() => edit(product)}>
            {product.name || records.untitled}
          </button>
          {product.description && <small class="clipped">{product.description}</small>}
        </>
      ),
    },
    {
      key: 'identifier',
      title: texts.identifier,
      sort: 'identifier',
      cell: ({ identifier }) => identifier,
    },
    {
      key: 'price',
      title: texts.price,
      kind: 'number',
      sort: 'amount_in_cents',
      cell: ({ amount_in_cents }) => formatMoney(amount_in_cents),
    },
    {
      key: 'available',
      title: texts.available,
      kind: 'number',
      sort: 'quantity_available',
      cell: ({ quantity_available }) => formatNumber(quantity_available),
    },
    {
      key: 'actions',
      title: records.actions,
      kind: 'actions',
      cell: (product) => (
        <IconButton
          icon="remove"
          label={records.removeOf(product.name)}
          onClick={() => remove(product)}
        />
      ),
    },
  ];
}
