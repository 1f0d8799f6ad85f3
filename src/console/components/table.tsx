import type { ComponentChildren } from 'preact';

export interface Column<Row> {
  readonly key: string;
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /**
   * Figures stand at the right; actions have no title that is seen; what is short, such as a date or a phone,
   * stays on one line. Of anything else two lines are shown.
   */
  readonly kind?: 'number' | 'actions' | 'short';
  /** The attribute that sorts by it, where the page can. */
  readonly sort?: string;
}

interface Props<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  readonly isLoading?: boolean;
  /** What it is sorted by, such as `created_at desc`. */
  readonly sorted?: string;
  readonly onSort?: (sort: string) => void;
}

/** Records in rows; on a narrow screen each is a block with its columns one below the other. */
export const Table = <Row,>(props: Props<Row>) => {
  const { caption, columns, rows, keyOf, isLoading = false } = props;
  return (
    <div class="table-frame" aria-busy={isLoading}>
      <table class="stacked">
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <Heading key={column.key} column={column} {...props} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ key, title, cell, kind }) => (
                <td key={key} data-title={kind === 'actions' ? undefined : title} class={kind}>
                  {kind ? cell(row) : <div class="two-lines">{cell(row)}</div>}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};

function Heading<Row>({
  column: { title, kind, sort },
  sorted = '',
  onSort,
}: Props<Row> & { readonly column: Column<Row> }) {
  if (kind === 'actions') {
    return (
      <th scope="col" class={kind}>
        <span class="unseen">{title}</span>
      </th>
    );
  }
  if (!sort || !onSort) {
    return (
      <th scope="col" class={kind}>
        {title}
      </th>
    );
  }
  const [field, direction = 'asc'] = sorted.split(' ');
  const isSorted = field === sort;
  const isAscending = isSorted && direction === 'asc';
  const order = isAscending ? 'ascending' : 'descending';
  return (
    <th scope="col" class={kind} aria-sort={isSorted ? order : 'none'}>
      <button
        type="button"
        class="sort"
        onClick={() => onSort(`${sort} ${isAscending ? 'desc' : 'asc'}`)}
      >
        {title}
      </button>
    </th>
  );
}
