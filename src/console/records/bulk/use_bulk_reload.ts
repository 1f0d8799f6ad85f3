import { useEffect } from 'preact/hooks';
import { bulkChanges } from './run.ts';

/** Reads a list again when something was done with several of its records. */
export const useBulkReload = (reload: () => Promise<void>): void =>
  useEffect(() => {
    let isKnown = true;
    return bulkChanges.subscribe(() => {
      if (!isKnown) void reload();
      isKnown = false;
    });
  }, [reload]);
