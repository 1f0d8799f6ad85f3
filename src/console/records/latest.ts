/** A record as a list has it by now, or as it was where the list has it no more. */
export const latest = <Listed extends { readonly id: number }>(
  record: Listed,
  list: readonly Listed[] = [],
): Listed => list.find(({ id }) => id === record.id) ?? record;
