import type { Rest } from './rest.ts';

/** What became of one record of a batch. */
export interface BatchResult {
  readonly index: number;
  readonly status: number;
  readonly id: number | null;
  readonly errors?: readonly string[];
  readonly fields?: Readonly<Record<string, readonly string[]>>;
  readonly conflict?: Readonly<Record<string, number>>;
}

export interface Batch {
  readonly results: readonly BatchResult[];
  readonly summary: Readonly<Record<'created' | 'updated' | 'deleted' | 'failed', number>>;
}

/** What a batch says beside its records. */
interface Others {
  readonly atomic?: unknown;
  readonly dry_run?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The same for many records of a kind, such as `contacts`. */
export const sendBatch = (
  rest: Rest,
  kind: string,
  operation: string,
  records: readonly unknown[],
  { headers, ...others }: Others = {},
) => rest.post<Batch>(`/${kind}/batch`, { operation, records, ...others }, headers);

/** @returns what sends batches as somebody who is known once the test begins */
export const sendingBatches =
  (rest: () => Rest) =>
  (kind: string, operation: string, records: readonly unknown[], others?: Others) =>
    sendBatch(rest(), kind, operation, records, others);

/** The ids of the records in the answer to a batch, in their order. */
export const idsOf = ({ results }: Batch): number[] => results.map(({ id }) => Number(id));
