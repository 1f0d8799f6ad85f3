import type { Option } from '../components/select.tsx';
import { words } from '../words/words.ts';

const kinds = { open: 'accent', won: 'good', lost: 'bad' } as const;
type Status = keyof typeof kinds;

const isStatus = (status: string): status is Status => status in kinds;

/** What became of a deal. */
export const StatusBadge = ({ status }: { readonly status: string }) => (
  <span class={`badge ${isStatus(status) ? kinds[status] : ''}`}>
    {isStatus(status) ? words.value.records.statuses[status] : status}
  </span>
);

export const statusOptions = (): readonly Option[] =>
  Object.entries(words.value.records.statuses).map(([value, text]) => ({ value, text }));
