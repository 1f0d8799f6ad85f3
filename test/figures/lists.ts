/** Questions of a dashboard about lists within records, each with what it is to be by the records in memory. */
import type { Data, Kind, Row } from './world.ts';

export interface ListQuestion {
  /** What is listed, and of what its lists are. */
  readonly of: Kind;
  readonly query: string;
  /** What each of them shows beside its id. */
  readonly fields: string;
  readonly matches: (row: Row) => boolean;
  readonly shows: (row: Row) => object;
}

const rowsOf = (row: Row, list: string): readonly Row[] => {
  const rows = row[list];
  return Array.isArray(rows) ? rows : [];
};

/** Ids of the first rows, those with the largest value first, then by id. */
const first = (rows: readonly Row[], by: string, max: number) =>
  rows
    .toSorted(
      (one, other) =>
        Number(other[by]) - Number(one[by]) || Number(one['id']) - Number(other['id']),
    )
    .slice(0, max)
    .map(({ id }) => ({ id }));

const isOpen = (row: Row) => row['status'] === 'open';
const amount = 'total_deal_products_amount_in_cents';
const isDue = (row: Row) => row['kind'] === 'activity' && row['done_at'] === null;
const isOfWon = ({ deal }: Row) => Object(deal)['status'] === 'won';

export const lists: Readonly<Record<string, ListQuestion>> = {
  'open deals of each customer, and the three largest of them': {
    of: 'contacts',
    query: '{label_list_in: ["vip"], s: "id"}',
    fields: `deals_count(query: {status_eq: "open"})
      deals(query: {status_eq: "open", s: "${amount} desc"}, limit: 3) { id }`,
    matches: ({ label_list }) => Array.isArray(label_list) && label_list.includes('vip'),
    shows: (row) => {
      const deals = rowsOf(row, 'deals').filter(isOpen);
      return { deals_count: deals.length, deals: first(deals, amount, 3) };
    },
  },
  'what is to be done for each open deal': {
    of: 'deals',
    query: '{status_eq: "open", s: "id"}',
    fields: 'events_count(query: {kind_eq: "activity", done_at_null: true})',
    matches: isOpen,
    shows: (row) => ({ events_count: rowsOf(row, 'events').filter(isDue).length }),
  },
  'the largest sales of each product': {
    of: 'products',
    query: '{s: "id"}',
    fields: `deal_products_count(query: {deal_status_eq: "won"})
      deal_products(query: {deal_status_eq: "won", s: "quantity desc"}, limit: 2) { id }`,
    matches: () => true,
    shows: (row) => {
      const sold = rowsOf(row, 'deal_products').filter(isOfWon);
      return { deal_products_count: sold.length, deal_products: first(sold, 'quantity', 2) };
    },
  },
};

/** What a question is to be answered. */
export const listed = (data: Data, { of, matches, shows }: ListQuestion): readonly object[] =>
  data[of].filter(matches).map((row) => ({ id: row['id'], ...shows(row) }));
