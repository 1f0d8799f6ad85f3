/** What differs between two inputs: an update sends that alone, so that it overwrites nothing else. */
export function changes<Input extends object>(before: Input, after: Input): Partial<Input> {
  const changed: Partial<Input> = { ...after };
  for (const key in after) {
    if (JSON.stringify(before[key]) === JSON.stringify(after[key])) delete changed[key];
  }
  return changed;
}

/** A row of a field that is a list of them. */
interface Row {
  readonly key: string;
}

/**
 * What is in a form whose record has become another meanwhile: what was typed, and the rest as the
 * record has it now; of rows each by itself.
 * @param before what the form began with
 */
export function typedOver<Values extends object>(
  before: Values,
  typed: Values,
  now: Values,
): Values {
  const over: Partial<Values> = changes(before, typed);
  for (const name in over) {
    const [from, to, present] = [before[name], typed[name], now[name]];
    if (isRows(from) && isRows(to) && isRows(present)) {
      Object.assign(over, { [name]: rowsOver(from, to, present) });
    }
  }
  return { ...now, ...over };
}

/** What of a record is neither what it was nor what was typed in its place. */
export function clashes<Values extends object>(
  before: Values,
  typed: Values,
  now: Values,
): Partial<Values> {
  const clashing: Partial<Values> = changes(before, now);
  const other = changes(typed, now);
  const over = changes(before, typed);
  for (const name in clashing) if (!(name in over && name in other)) delete clashing[name];
  return clashing;
}

const isRows = (value: unknown): value is readonly Row[] =>
  Array.isArray(value) && value.every((row) => typeof Object(row).key === 'string');

function rowsOver(before: readonly Row[], typed: readonly Row[], now: readonly Row[]): Row[] {
  const rowOf = (rows: readonly Row[], { key }: Row) => rows.find((row) => row.key === key);
  const changed = typed.filter((row) => JSON.stringify(row) !== JSON.stringify(rowOf(before, row)));
  const kept = now.filter((row) => !rowOf(before, row) || rowOf(typed, row));
  const added = changed.filter((row) => !rowOf(kept, row));
  return [...kept.map((row) => rowOf(changed, row) ?? row), ...added];
}
