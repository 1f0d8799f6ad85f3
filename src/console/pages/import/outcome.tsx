import { Link } from 'wouter-preact';
import type { RowRefusal } from '../../../import/part.ts';
import { reportHeader, reportRow } from '../../../import/report.ts';
import { session } from '../../api/session.ts';
import { isAdmin } from '../../api/who.ts';
import { Button } from '../../components/button.tsx';
import { downloadCsv } from '../../components/download.ts';
import { Table } from '../../components/table.tsx';
import { clockAt } from '../../words/days.ts';
import { formatNumber, formatPercent, timeZone } from '../../words/format.ts';
import { explain, faultsOfRow } from '../../words/refusals.ts';
import { words } from '../../words/words.ts';
import type { Importing } from './use_import.ts';

/** At most this many refused rows are shown; the report has all of them. */
const mostShown = 50;

/** How far an import is, and what was refused of it. */
export function Outcome({
  names,
  importing,
  pause,
  goOn,
}: {
  /** Of the file's columns. */
  readonly names: readonly string[];
  readonly importing: Importing;
  readonly pause: () => void;
  readonly goOn: () => void;
}) {
  const { imports: texts } = words.value;
  const { state, isDry, since, counts, share, refused, refusal } = importing;
  const [created = '', updated = '', wrong = ''] = [
    counts.created,
    counts.updated,
    counts.refused,
  ].map(formatNumber);
  const sentence = (isDry ? texts.would : texts.did)(created, updated, wrong);
  return (
    <section class="card part">
      <div aria-live="polite">
        {refusal && (
          <div class="notice bad" role="alert">
            {explain(refusal).join(' ')}
          </div>
        )}
        <p>
          {state === 'done' ? (isDry ? texts.checked : texts.done) : formatPercent(share)}.{' '}
          {sentence}
        </p>
      </div>
      <progress value={share} max={1} aria-label={texts.title} />
      <div class="form-end">
        {state === 'running' && <Button onClick={pause}>{texts.pause}</Button>}
        {state === 'paused' && (
          <Button kind="primary" onClick={goOn}>
            {texts.goOn}
          </Button>
        )}
        {refused.length > 0 && (
          <Button onClick={() => download(names, refused)}>{texts.report}</Button>
        )}
        {state === 'done' && !isDry && isAdmin.value && counts.created + counts.updated > 0 && (
          <Link class="button" href={undoAddress(since)}>
            {texts.undo}
          </Link>
        )}
      </div>
      {refused.length > 0 && (
        <Table
          caption={texts.refused}
          rows={refused.slice(0, mostShown)}
          keyOf={({ row }) => row.number}
          columns={[
            { key: 'row', title: texts.row, kind: 'number', cell: ({ row }) => row.number },
            {
              key: 'errors',
              title: texts.why,
              cell: ({ fields, errors }) => faultsOfRow(fields, errors).join(' '),
            },
          ]}
        />
      )}
    </section>
  );
}

/** Where somebody sees what they have changed since then, and takes it back. */
function undoAddress(since: number): string {
  const clock = (moment: number) => clockAt(moment, timeZone.value);
  const choice = {
    person: String(session.value?.user_id ?? ''),
    from: clock(since),
    // The choice is of whole minutes.
    to: clock(Date.now() + 60_000),
  };
  return `/audit/undo?${new URLSearchParams(choice)}`;
}

/** Hands over what was refused as a file that can be mended and imported itself. */
function download(names: readonly string[], refused: readonly RowRefusal[]): void {
  const rows = refused.map((one) => reportRow(names, one));
  downloadCsv('refused.csv', reportHeader(names) + rows.join(''));
}
