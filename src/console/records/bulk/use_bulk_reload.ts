import { useChange } from '../../components/use_change.ts';
import { bulkChanges } from './run.ts';

/** Reads a list again when something was done with several of its records. */
export const useBulkReload = (reload: () => Promise<void>): void =>
  useChange(bulkChanges.value, () => void reload());
