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

/** The same for many records of a kind, such as `contacts`. */
export const sendBatch = (
  rest: Rest,
  kind: string,
  operation: string,
  records: readonly unknown[],
  others: {
    readonly atomic?: unknown;
    readonly dry_run?: unknown;
    readonly headers?: Readonly<Record<string, string>>;
  } = {},
) => {
  const { headers, ...more } = others;
  return rest.post<Batch>(`/${kind}/batch`, { operation, records, ...more }, headers);
};
