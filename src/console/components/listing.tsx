import type { ComponentChildren } from 'preact';
import type { Loading } from '../api/use_load.ts';
import { words } from '../words/words.ts';
import { Answer } from './answer.tsx';
import { Button } from './button.tsx';
import { Empty } from './empty.tsx';
import type { Filtering } from './filtering.ts';
import { type Pagination, Paging } from './paging.tsx';
import { type Column, Table } from './table.tsx';
import type { Selection } from './use_selection.ts';

interface ListAnswer<Row> {
  readonly list: { readonly data: readonly Row[]; readonly pagination: Pagination };
}

/** A page of records that the address filters, sorts and turns, or why there are none. */
export function Listing<Row extends { readonly id: number }>({
  of: answer,
  caption,
  columns,
  filters,
  change,
  none,
  empty,
  bulk,
}: Filtering & {
  readonly of: Loading<ListAnswer<Row>>;
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  /** The filters as they leave nothing out. */
  readonly none: Readonly<Record<string, string>>;
  /** Shown when there is no record at all. */
  readonly empty: ComponentChildren;
  /** What can be done with several at a time. */
  readonly bulk?: {
    readonly selection: Selection;
    readonly nameOf: (row: Row) => string;
    /** @param count of all that the search finds */
    readonly bar: (rows: readonly Row[], count: number) => ComponentChildren;
  };
}) {
  const { lists } = words.value;
  const isFiltered = Object.entries(none).some(([name, value]) => filters[name] !== value);
  const nothing = isFiltered ? (
    <Empty
      title={lists.noMatch}
      action={<Button onClick={() => change(none)}>{lists.clearFilters}</Button>}
    />
  ) : (
    empty
  );
  return (
    <Answer of={answer}>
      {({ list: { data, pagination } }) =>
        pagination.count === 0 ? (
          nothing
        ) : (
          <>
            {bulk?.bar(data, pagination.count)}
            <Table
              caption={caption}
              columns={columns}
              rows={data}
              keyOf={({ id }) => id}
              isLoading={answer.isLoading}
              sorted={filters.sort ?? ''}
              onSort={(sort) => change({ sort })}
              {...(bulk && { choice: { ...bulk, idOf: ({ id }: Row) => id } })}
            />
            <Paging pagination={pagination} onPage={(page) => change({ page: String(page) })} />
          </>
        )
      }
    </Answer>
  );
}
