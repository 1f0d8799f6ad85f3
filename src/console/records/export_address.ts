/**
 * Where the service exports what a search finds.
 * @param query of single values and lists of them; those that are empty ask for nothing
 */
export function exportAddress(
  accountId: number,
  records: string,
  query: Readonly<Record<string, unknown>>,
): string {
  const given = Object.entries(query)
    .filter(([, value]) => value !== '' && value !== undefined)
    .flatMap(([name, value]) =>
      Array.isArray(value)
        ? value.map((one) => [`query[${name}][]`, String(one)])
        : [[`query[${name}]`, String(value)]],
    );
  const parameters = new URLSearchParams([['format', 'csv'], ...given]);
  return `/api/v1/accounts/${accountId}/${records}/export?${parameters}`;
}
