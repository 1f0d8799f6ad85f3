import type { Sql } from '../../db/sql/sql.ts';

/** Values by column. */
export type Values = Readonly<Record<string, unknown>>;

/** What a write changed: only the fields that differ, before and after. */
export interface Changes {
  /** As values, or as an SQL expression of type json. */
  readonly before: Values | Sql | null;
  readonly after: Values | Sql | null;
}

/** The same as values. */
export interface Difference extends Changes {
  readonly before: Values;
  readonly after: Values;
}

/** The fields of `after` that differ from `before`; undefined when none does. */
export function changesBetween<Written extends object>(
  before: { readonly [K in keyof Written]: unknown },
  after: Written,
): Difference | undefined {
  const old = new Map<string, unknown>(Object.entries(before));
  const changed = Object.entries(after).filter(
    ([field, value]) => JSON.stringify(old.get(field)) !== JSON.stringify(value),
  );
  if (changed.length === 0) return undefined;
  return {
    before: Object.fromEntries(changed.map(([field]) => [field, old.get(field)])),
    after: Object.fromEntries(changed),
  };
}
