/** What inputs demand of their fields beyond what their scalars say: for documentation. */
import { accountFields } from '../resources/accounts/record.ts';
import type { Field, Limits } from '../resources/kernel/fields/input.ts';
import { resources } from '../resources/shapes.ts';

export { maxRecords } from '../resources/kernel/batch/request.ts';

export interface Demand {
  /** Whether a new record must have it; then null is refused on any. */
  readonly isRequired: boolean;
  /** The values that there are, where these are few. */
  readonly values: readonly unknown[] | undefined;
  readonly limits: Limits | undefined;
}

/**
 * @param type name of a GraphQL type that can be written
 * @returns demands by the name of the field; none for a type that nobody writes
 */
export function demandsOf(type: string): ReadonlyMap<string, Demand> {
  const record =
    type === 'Account'
      ? { fields: accountFields }
      : Object.values(resources).find((resource) => resource.type === type);
  return new Map(
    Object.entries<Field<unknown>>(record?.fields ?? {}).map(
      ([name, { cleared, values, limits }]) => [
        name,
        { isRequired: 'message' in cleared, values, limits },
      ],
    ),
  );
}
