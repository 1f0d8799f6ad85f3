import type { ComponentChildren } from 'preact';
import { Button } from '../../components/button.tsx';
import { confirm } from '../../components/confirm.tsx';
import { NarrowMenu } from '../../components/narrow_menu.tsx';
import { type Option, Select } from '../../components/select.tsx';
import type { Selection } from '../../components/use_selection.ts';
import { formatNumber } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { SheetButton } from '../export_link.tsx';
import { bulkChanges, progress, stop } from './run.ts';

type Query = Readonly<Record<string, unknown>>;

/** What a bar needs to know of its list. */
export interface BulkScope {
  readonly selection: Selection;
  /** What the list shows, without its order. */
  readonly query: Query;
  /** How many that finds. */
  readonly count: number;
  /** How many of these the page shows. */
  readonly shown: number;
}

/** The search that finds what was chosen. */
const chosen = ({ selection: { ids, isAll }, query }: BulkScope): Query =>
  isAll ? query : { id_in: [...ids] };

/** What can be done with the rows that were chosen; nothing while none are. */
export function BulkBar({
  records,
  remove,
  belongings,
  children,
  ...listed
}: BulkScope & {
  readonly records: 'contacts' | 'deals';
  /** Removes what a search finds. */
  readonly remove: (query: Query) => Promise<void>;
  /** Says what goes with the records of some ids, before they are removed. */
  readonly belongings?: (ids: readonly number[]) => Promise<string>;
  /** @param act does something with what a search finds, and shows the list anew */
  readonly children: (act: (action: (query: Query) => Promise<void>) => void) => ComponentChildren;
}) {
  const { bulk, shell } = words.value;
  const { selection, count, shown } = listed;
  const number = selection.isAll ? count : selection.ids.size;
  if (progress.value) {
    const { done, of } = progress.value;
    return (
      <div class="bulk" role="status">
        <progress value={done} max={of || 1} aria-label={bulk.title} />
        <span>{bulk.progress(formatNumber(done), formatNumber(of))}</span>
        <Button onClick={stop}>{bulk.stop}</Button>
      </div>
    );
  }
  if (number === 0) return null;
  const query = chosen(listed);
  const act = async (action: (query: Query) => Promise<void>) => {
    await action(query);
    selection.clear();
    bulkChanges.value += 1;
  };
  const askToRemove = async () => {
    // Of all that match, only the search is known here.
    const said = selection.isAll ? '' : await belongings?.([...selection.ids]).catch(() => '');
    const question = {
      title: bulk.remove(formatNumber(number)),
      text: said ? `${said} ${bulk.whyRemove}` : bulk.whyRemove,
      action: words.value.records.remove,
    };
    if (await confirm(question)) await act(remove);
  };
  return (
    <section class="bulk" aria-label={bulk.title}>
      <strong>{bulk.chosen(formatNumber(number))}</strong>
      {!selection.isAll && count > shown && selection.ids.size >= shown && (
        <Button kind="quiet" onClick={selection.chooseAll}>
          {bulk.all(formatNumber(count))}
        </Button>
      )}
      <NarrowMenu>
        {children((action) => void act(action))}
        <SheetButton records={records} query={query} />
        <Button icon="remove" onClick={askToRemove}>
          {words.value.records.remove}
        </Button>
      </NarrowMenu>
      <Button kind="quiet" icon="close" onClick={selection.clear} aria-label={shell.cancel} />
    </section>
  );
}

/** One of several things to do, which is done when it is chosen. */
export const BulkChoice = ({
  label,
  options,
  onChoose,
}: {
  readonly label: string;
  readonly options: readonly Option[];
  readonly onChoose: (value: string) => void;
}) => (
  <Select
    name={label}
    label={label}
    options={[{ value: '', text: label }, ...options]}
    value=""
    onChange={(value) => value && onChoose(value)}
    error={undefined}
  />
);
