/** What the options of an import say about its columns. */
import { InvalidArgumentError } from 'commander';
import { plainName } from '../../import/headers.ts';
import { type Column, columnsOf, guess, WrongMapping } from '../../import/mapping.ts';
import { type Importable, targetOf } from '../../import/targets.ts';
import { CommandError } from '../command_error.ts';

/** Pairs of texts, in the order in which they were given. */
export type Pairs = readonly (readonly [string, string])[];

/** Reads `Name=full_name,Tags=label_list`, and what an option before it said. */
export function pairs(text: string, before: Pairs = []): Pairs {
  const own = text.split(',').map((part) => {
    const at = part.lastIndexOf('=');
    if (at < 1) throw new InvalidArgumentError('It is made of pairs such as Name=full_name.');
    return [part.slice(0, at).trim(), part.slice(at + 1).trim()] as const;
  });
  return [...before, ...own];
}

/** How the columns of a file are read. */
export interface ColumnChoice {
  readonly columns: readonly Column[];
  /** Names of those that are left out. */
  readonly left: readonly string[];
}

/**
 * The columns as guessed, but for what is said of them.
 * @param said targets by name of column; an empty one leaves it out
 * @param fixed values by target, for all rows
 * @param isOwn whether the moment of creation may be given
 * @throws {CommandError} for a column that there is not, what columns cannot become, and two
 *   columns of one name that would make up one text
 */
export function choose(
  records: Importable,
  names: readonly string[],
  { said, fixed, isOwn }: { readonly said: Pairs; readonly fixed: Pairs; readonly isOwn: boolean },
): ColumnChoice {
  const mapped = new Map(said.map(([name, target]) => [placeOf(names, name), target || undefined]));
  const targets = fixed.map(([target]) => target);
  const mapping = guess(records, names, isOwn, mapped, targets);
  const twice = names.find((name, at) => {
    const first = names.indexOf(name);
    const target = mapping[at];
    if (first === at || target === undefined || mapping[first] !== target) return false;
    return targetOf(records, target, isOwn)?.kind === 'text';
  });
  if (twice !== undefined) {
    throw new CommandError(
      `Two columns are called ${twice}: --map "${twice}=" leaves the first of them out`,
    );
  }
  try {
    const columns = columnsOf(records, mapping, new Map(fixed), isOwn);
    return { columns, left: names.filter((_, at) => mapping[at] === undefined) };
  } catch (error) {
    if (error instanceof WrongMapping) throw new CommandError(error.message);
    throw error;
  }
}

function placeOf(names: readonly string[], name: string): number {
  const exact = names.indexOf(name);
  const at = exact >= 0 ? exact : names.findIndex((one) => plainName(one) === plainName(name));
  if (at >= 0) return at;
  throw new CommandError(`The file has no column ${name}, but ${names.join(', ')}`);
}
