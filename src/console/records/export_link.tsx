import { session } from '../api/session.ts';
import { Icon } from '../components/icon.tsx';
import { words } from '../words/words.ts';
import { exportAddress } from './export_address.ts';

/** All that a list shows on its pages, as a file that spreadsheets open. */
export const ExportLink = ({
  records,
  query,
}: {
  readonly records: 'contacts' | 'deals';
  readonly query: Readonly<Record<string, unknown>>;
}) => (
  <a class="button" href={exportAddress(session.value?.account_id ?? 0, records, query)} download>
    <Icon name="down" />
    {words.value.records.export}
  </a>
);
