import { formatNumber } from '../words/format.ts';
import { words } from '../words/words.ts';
import { IconButton } from './button.tsx';

export interface Pagination {
  readonly page: number;
  readonly pages: number;
  readonly count: number;
  readonly from: number;
  readonly to: number;
  readonly prev: number | null;
  readonly next: number | null;
}

/** Where a list stands, and the way to its other pages. */
export function Paging({
  pagination: { pages, count, from, to, prev, next },
  onPage,
}: {
  readonly pagination: Pagination;
  readonly onPage: (page: number) => void;
}) {
  const { shell } = words.value;
  if (pages < 2) return null;
  const turn = (page: number | null) => () => {
    if (page !== null) onPage(page);
  };
  return (
    <nav class="paging" aria-label={shell.pages}>
      <span>{shell.range(formatNumber(from), formatNumber(to), formatNumber(count))}</span>
      <IconButton
        icon="previous"
        label={shell.previousPage}
        disabled={prev === null}
        onClick={turn(prev)}
      />
      <IconButton
        icon="next"
        label={shell.nextPage}
        disabled={next === null}
        onClick={turn(next)}
      />
    </nav>
  );
}
