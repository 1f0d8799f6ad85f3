/** What an import asks of the service, wherever that runs. */
import type { Fields } from './draft.ts';
import type { Importable } from './targets.ts';

/** What became of one record of a batch. */
export interface Result {
  /** Its place in the batch, from 0. */
  readonly index: number;
  /** What the call for this record alone would have been answered. */
  readonly status: number;
  readonly id: number | null;
  /** All that is wrong with it, in sentences. */
  readonly errors?: readonly string[] | null;
  /** The same by field, for whoever says it in other words. */
  readonly fields?: Fields | null;
}

export interface Service {
  /** Fails where nothing could be written at all, before it is noted down that anything was begun. */
  reach?(): Promise<void>;
  /**
   * Writes a batch, however often that has to be tried.
   * @param body of the request, as JSON
   * @param key under which it is written once, whoever sends it again; undefined for a dry run
   */
  write(records: Importable, body: string, key: string | undefined): Promise<readonly Result[]>;
  /** All records that a search finds. */
  find(records: string, query: Fields): Promise<readonly Fields[]>;
}
