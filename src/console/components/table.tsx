import type { ComponentChildren } from 'preact';
import { words } from '../words/words.ts';
import type { Selection } from './use_selection.ts';

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
  /** Whether it is shown only where somebody chose it; rows may lack what it shows until then. */
  readonly isExtra?: true;
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
  /** Lets rows be chosen, where they have ids. */
  readonly choice?: Choice<Row>;
}

interface Choice<Row> {
  readonly selection: Selection;
  readonly idOf: (row: Row) => number;
  /** What a row is called. */
  readonly nameOf: (row: Row) => string;
}

/** Records in rows; on a narrow screen each is a block with its columns one below the other. */
export const Table = <Row,>(props: Props<Row>) => {
  const { caption, columns, rows, keyOf, isLoading = false, choice } = props;
  return (
    <div class="table-frame" aria-busy={isLoading}>
      <table class="stacked">
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {choice && <ChooseAll choice={choice} rows={rows} />}
            {columns.map((column) => (
              <Heading key={column.key} column={column} {...props} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {choice && <Choose choice={choice} row={row} rows={rows} />}
              {columns.map(({ key, title, cell, kind, isExtra }) => (
                <td
                  key={key}
                  data-title={kind === 'actions' ? undefined : title}
                  class={kind ?? (isExtra ? 'extra' : undefined)}
                >
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

function ChooseAll<Row>({
  choice: { selection, idOf },
  rows,
}: {
  readonly choice: Choice<Row>;
  readonly rows: readonly Row[];
}) {
  const page = rows.map(idOf);
  const chosen = page.filter((id) => selection.isAll || selection.ids.has(id)).length;
  return (
    <th scope="col" class="choice">
      <label>
        <span class="unseen">{words.value.bulk.choosePage}</span>
        <input
          type="checkbox"
          checked={chosen > 0 && chosen === page.length}
          indeterminate={chosen > 0 && chosen < page.length}
          onChange={() => selection.togglePage(page)}
        />
      </label>
    </th>
  );
}

function Choose<Row>({
  choice: { selection, idOf, nameOf },
  row,
  rows,
}: {
  readonly choice: Choice<Row>;
  readonly row: Row;
  readonly rows: readonly Row[];
}) {
  const id = idOf(row);
  return (
    <td class="choice">
      <label>
        <span class="unseen">{words.value.bulk.choose(nameOf(row))}</span>
        <input
          type="checkbox"
          checked={selection.isAll || selection.ids.has(id)}
          onClick={(event) => selection.toggle(id, rows.map(idOf), event.shiftKey)}
        />
      </label>
    </td>
  );
}

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
      <th scope="col" class={kind} title={title}>
        {title}
      </th>
    );
  }
  const [field, direction = 'asc'] = sorted.split(' ');
  const isSorted = field === sort;
  const isAscending = isSorted && direction === 'asc';
  const order = isAscending ? 'ascending' : 'descending';
  return (
    <th scope="col" class={kind} title={title} aria-sort={isSorted ? order : 'none'}>
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
