/** What inputs demand of their fields beyond what their scalars say: for documentation. */
import { resources } from '../resources/shapes.ts';

export interface Demand {
  /** Whether a new record must have it; then null is refused on any. */
  readonly isRequired: boolean;
  /** The values that there are, where these are few. */
  readonly values: readonly unknown[] | undefined;
}

/**
 * @param type name of a GraphQL type that can be written
 * @returns demands by the name of the field; none for a type that nobody writes
 */
export function demandsOf(type: string): ReadonlyMap<string, Demand> {
  const found = Object.values(resources).find((resource) => resource.type === type);
  return new Map(
    Object.entries(found?.fields ?? {}).map(([name, { cleared, values }]) => [
      name,
      { isRequired: 'message' in cleared, values },
    ]),
  );
}
