/** Which changes the feed reports, and to whom. */
import { readScopesOf, requireScopes, rightOf } from '../../auth/policy.ts';
import type { RequiredScope } from '../../auth/scopes.ts';
import type { Viewer } from '../../auth/viewer.ts';
import { didYouMean } from '../../errors/did_you_mean.ts';
import type { Faults } from '../../errors/errors.ts';
import { type Verb, verbs } from '../kernel/participation.ts';
import { records, type TableIn, tablesIn } from '../records.ts';

interface Kind {
  /** As `record_type` names it. */
  readonly one: string;
  /** The scopes that it takes to read such records. */
  readonly scopes: readonly RequiredScope[];
}

const kindOf = (table: TableIn<'changes'>): Kind => ({
  one: records[table].one,
  scopes: readScopesOf([records[table].one]),
});

/**
 * Kinds of records by the names that clients choose them by; credentials (tokens, sessions, links)
 * are not among them.
 */
const kinds: ReadonlyMap<string, Kind> = new Map([
  ...tablesIn('changes').map((table) => [table, kindOf(table)] as const),
  ['account', { one: 'account', scopes: [rightOf('account.read').scope] }],
]);

/** What was done, of an entry's action: `update` of `contact.update`. */
export function verbOf(action: string): Verb {
  const verb = verbs.find((each) => action.endsWith(`.${each}`));
  if (!verb) throw new Error(`${action} is no change of the feed`);
  return verb;
}

/**
 * Reads which kinds of records are wanted; nothing is all of them.
 * @param value a list of names, or a text that divides them by commas
 * @returns the actions of the entries about them
 * @throws {Fault} INSUFFICIENT_SCOPE when the viewer's token may not read some of them
 */
export function readRecordTypes(value: unknown, viewer: Viewer, faults: Faults): readonly string[] {
  const names = namesIn(value);
  if (!names) {
    faults.add('records', 'must be names of records, divided by commas');
    return [];
  }
  const unknown = names.find((name) => !kinds.has(name));
  if (unknown !== undefined) {
    faults.add('records', `"${unknown}" cannot be followed${didYouMean(unknown, kinds.keys())}`);
  }
  const types = [...new Set(names)].sort();
  const kindsToFollow = (types.length > 0 ? types : [...kinds.keys()]).flatMap(
    (name) => kinds.get(name) ?? [],
  );
  requireScopes(
    viewer,
    kindsToFollow.flatMap(({ scopes }) => scopes),
  );
  return kindsToFollow.flatMap(({ one }) => verbs.map((verb) => `${one}.${verb}`));
}

function namesIn(value: unknown): readonly string[] | undefined {
  if (value === undefined || value === null) return [];
  const texts: readonly unknown[] = [value].flat();
  if (!texts.every((text) => typeof text === 'string')) return undefined;
  return texts
    .flatMap((text) => text.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
