import { TopProductsDocument, WonByOwnerDocument } from '../../../generated/console.ts';
import { Bars } from '../../components/charts/bars.tsx';
import { formatMoney, formatMoneyShort, formatNumber } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { Figure } from './figure.tsx';
import type { Scope } from './period.ts';

/** What was sold for most. */
export function TopProducts({ query, period, live }: Scope) {
  const { dashboard: texts, deals } = words.value;
  const nameOf = (row: { readonly product_name?: string | null; readonly is_rest: boolean }) =>
    row.is_rest ? texts.rest : (row.product_name ?? texts.noProduct);
  return (
    <Figure
      title={texts.topProducts}
      about={texts.aboutProducts}
      document={TopProductsDocument}
      given={{ query: { ...query, status_eq: 'won' }, ...period }}
      live={live && { deals_summary: live.products }}
      rowsOf={(data) => data.deals_summary}
      chart={(rows) => <Amounts groups={rows} nameOf={nameOf} />}
      columns={[
        { title: deals.product, cell: nameOf },
        { title: deals.quantity, cell: (row) => formatNumber(row.units), kind: 'number' },
        { title: deals.amount, cell: (row) => formatMoney(row.sum_in_cents), kind: 'number' },
      ]}
    />
  );
}

/** Who won most. */
export function WonByOwner({ query, period, live }: Scope) {
  const { dashboard: texts, deals, records } = words.value;
  const nameOf = (row: { readonly owner_name?: string | null; readonly is_rest: boolean }) =>
    row.is_rest ? texts.rest : (row.owner_name ?? texts.nobody);
  return (
    <Figure
      title={texts.owners}
      about={texts.aboutOwners}
      document={WonByOwnerDocument}
      given={{ query: { ...query, status_eq: 'won' }, ...period }}
      live={live && { deals_summary: live.owners }}
      rowsOf={(data) => data.deals_summary}
      chart={(rows) => <Amounts groups={rows} nameOf={nameOf} />}
      columns={[
        { title: records.owner, cell: nameOf },
        { title: deals.title, cell: (row) => formatNumber(row.count), kind: 'number' },
        { title: deals.amount, cell: (row) => formatMoney(row.sum_in_cents), kind: 'number' },
      ]}
    />
  );
}

/** Groups by their amounts. */
const Amounts = <Group extends { readonly sum_in_cents: number }>({
  groups,
  nameOf,
}: {
  readonly groups: readonly Group[];
  readonly nameOf: (group: Group) => string;
}) => (
  <Bars
    bars={groups.map((group, index) => ({
      key: index,
      label: nameOf(group),
      value: group.sum_in_cents,
      text: formatMoneyShort(group.sum_in_cents),
    }))}
  />
);
