import { useState } from 'preact/hooks';
import { session } from '../api/session.ts';
import { Button } from '../components/button.tsx';
import { downloadCsv } from '../components/download.ts';
import { Icon } from '../components/icon.tsx';
import { attempt } from '../components/toast.tsx';
import { words } from '../words/words.ts';
import { exportAddress } from './export_address.ts';
import { sheets } from './sheet.ts';

interface Props {
  readonly records: 'contacts' | 'deals';
  readonly query: Readonly<Record<string, unknown>>;
}

/** All that a list shows on its pages, as programs read it: ids, cents and moments. */
export const ExportLink = ({ records, query }: Props) => (
  <a class="button" href={exportAddress(session.value?.account_id ?? 0, records, query)} download>
    <Icon name="exports" />
    {words.value.records.export}
  </a>
);

/** The same as people read it: names beside ids, amounts with decimals. */
export function SheetButton({
  records,
  query,
  columns,
}: Props & {
  /** Those that the list shows behind its first, where somebody chose them; else whatever people may want to read. */
  readonly columns?: readonly string[] | undefined;
}) {
  const [isBusy, setBusy] = useState(false);
  const take = async () => {
    setBusy(true);
    const day = new Date().toISOString().slice(0, 10);
    await attempt(async () =>
      downloadCsv(`${records}-${day}.csv`, await sheets[records](query, columns)),
    );
    setBusy(false);
  };
  return (
    <Button icon="exports" isBusy={isBusy} onClick={take}>
      {words.value.records.sheet}
    </Button>
  );
}
