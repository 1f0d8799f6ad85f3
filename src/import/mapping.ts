/** Which column of a file becomes what. */
import { headers, plainName } from './headers.ts';
import { type Importable, isOfLine, type Target, targetOf, targetsOf } from './targets.ts';

/** Names of targets by column, undefined for a column that is left out. */
export type Mapping = readonly (string | undefined)[];

/** A column and what it becomes. */
export interface Column {
  /** Its place in a row, from 0. */
  readonly at: number;
  readonly target: Target;
  /** What all rows have, where it comes from no column. */
  readonly text?: string;
}

/** What is wrong with a mapping, as a sentence, and for whoever says it in other words. */
export class WrongMapping extends Error {
  readonly reason: 'nothing' | 'unknown' | 'repeated' | 'whole' | 'stray';
  /** What a column was to become. */
  readonly target: string;

  constructor(reason: WrongMapping['reason'], target: string, message: string) {
    super(message);
    this.reason = reason;
    this.target = target;
  }
}

/**
 * Guesses by their names what columns become. Each target takes one of them.
 * @param isOwn see {@link targetOf}
 * @param known what is not to be guessed: targets by place, undefined for a column that is left out
 * @param fixed targets that all rows have
 */
export function guess(
  records: Importable,
  names: readonly string[],
  isOwn: boolean,
  known: ReadonlyMap<number, string | undefined> = new Map(),
  fixed: readonly string[] = [],
): Mapping {
  const guessed: (string | undefined)[] = names.map((name) => targetOf(records, name, isOwn)?.name);
  const plain = names.map(plainName);
  const claim = (target: string, called: readonly string[]) => {
    if (guessed.includes(target)) return;
    const name = called.find((one) => plain.some((own, at) => own === one && !guessed[at]));
    const at = plain.findIndex((own, place) => own === name && !guessed[place]);
    if (at >= 0) guessed[at] = target;
  };
  for (const target of targetsOf(records, isOwn)) claim(target, [plainName(target)]);
  const called = Object.entries(headers[records]);
  for (const [target, own] of called) {
    if (target === 'created_at' && !isOwn) continue;
    // What has both parts of a name in columns of their own needs no third one for the whole.
    if (target === 'full_name' && namesBoth(called, plain)) continue;
    claim(target, own.split(', '));
  }
  const claimed = new Set([...known.values(), ...fixed]);
  const merged = guessed.map((target, at) => {
    if (known.has(at)) return known.get(at);
    return claimed.has(target) ? undefined : target;
  });
  if ([...merged, ...fixed].some(namesProduct)) return merged;
  // A quantity, say, of no product is something else.
  return merged.map((target, at) =>
    target !== undefined && !known.has(at) && isOfLine(records, target) ? undefined : target,
  );
}

const namesProduct = (target: string | undefined): boolean => /^product\./.test(target ?? '');

const namesBoth = (called: readonly (readonly [string, string])[], plain: readonly string[]) =>
  ['first_name', 'last_name'].every((part) =>
    called.some(
      ([target, known]) => target === part && known.split(', ').some((one) => plain.includes(one)),
    ),
  );

/**
 * What columns become, in the order in which several make up one text.
 * @param fixed texts by target, which all rows have
 * @throws {WrongMapping} for a target that there is not, for two columns that would be one value, and when
 *   nothing is mapped
 */
export function columnsOf(
  records: Importable,
  mapping: Mapping,
  fixed: ReadonlyMap<string, string>,
  isOwn: boolean,
): readonly Column[] {
  const find = (name: string): Target => {
    const target = targetOf(records, name, isOwn);
    if (target) return target;
    const known = targetsOf(records, isOwn).join(', ');
    const message = `A column of ${records} cannot become ${name}, but ${known}`;
    throw new WrongMapping('unknown', name, message);
  };
  const mapped = mapping.flatMap((name, at) =>
    name === undefined ? [] : { at, target: find(name) },
  );
  const fixedColumns = [...fixed].map(([name, text]) => ({ at: -1, target: find(name), text }));
  const columns = [...mapped, ...fixedColumns].toSorted((a, b) => a.target.rank - b.target.rank);
  if (columns.length === 0) {
    throw new WrongMapping('nothing', '', 'No column of the file is mapped to anything');
  }
  const stray = columns.find(({ target: { name } }) => isOfLine(records, name))?.target.name;
  if (stray && !columns.some(({ target }) => namesProduct(target.name))) {
    const message = `${stray} is that of a product: map product.identifier or product.name, too`;
    throw new WrongMapping('stray', stray, message);
  }
  const targets = new Set<string>();
  for (const value of columns.flatMap(({ target }) => valuesOf(target))) {
    if (targets.has(value)) {
      throw new WrongMapping('repeated', value, `Two columns are mapped to ${value}`);
    }
    targets.add(value);
  }
  const whole = columns.find(({ target }) => target.key !== undefined && targets.has(target.field))
    ?.target.field;
  if (whole) {
    throw new WrongMapping('whole', whole, `Either ${whole} is mapped or keys of it, not both`);
  }
  return columns;
}

/** What no second column may become. */
function valuesOf({ name, field, kind, key, parent }: Target): readonly string[] {
  if (kind === 'text' || kind === 'labels') return [];
  return [parent ? name : key === undefined ? field : `${field}.${key}`];
}
