/**
 * Where the service exports what a search finds.
 * @param query as the search language has it; values that are empty ask for nothing
 */
export function exportAddress(
  accountId: number,
  records: string,
  query: Readonly<Record<string, unknown>>,
): string {
  const given = Object.entries(query)
    .filter(([, value]) => value !== '' && value !== undefined)
    .flatMap(([name, value]) => parametersOf(`query[${name}]`, value));
  const parameters = new URLSearchParams([['format', 'csv'], ...given]);
  return `/api/v1/accounts/${accountId}/${records}/export?${parameters}`;
}

/** A value as forms write it, with a name for each value that is in it. */
const parametersOf = (name: string, value: unknown): string[][] => {
  if (typeof value !== 'object' || value === null) return [[name, String(value)]];
  // Values of a list come one after the other; of its objects several names may belong to the same.
  const isPlain = Array.isArray(value) && value.every((one) => typeof one !== 'object');
  return Object.entries(value).flatMap(([key, one]) =>
    parametersOf(isPlain ? `${name}[]` : `${name}[${key}]`, one),
  );
};
