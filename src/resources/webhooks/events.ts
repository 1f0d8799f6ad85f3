/** Which changes a webhook can be sent, and which it is sent. */
import { requireScopes, rightOf } from '../../auth/policy.ts';
import { allows } from '../../auth/scopes.ts';
import type { Viewer } from '../../auth/viewer.ts';
import { raw, type Sql, sql } from '../../db/sql/sql.ts';
import { blank, coded } from '../../errors/codes.ts';
import type { Field } from '../kernel/fields/input.ts';
import type { Verb } from '../kernel/participation.ts';
import { records, type TableIn, tablesIn } from '../records.ts';

type Type = (typeof records)[TableIn<'changes'>]['one'] | 'account';

/** The kinds of records whose changes are sent, with what can happen to each. */
const verbsOf = new Map<Type, readonly Verb[]>([
  ['account', ['update']],
  ...tablesIn('changes').map(
    (table) => [records[table].one, records[table].takesPart.changes] as const,
  ),
]);

const types = [...verbsOf.keys()].sort();

/** Every event that a webhook can name. */
const events: ReadonlySet<string> = new Set([
  '*',
  ...types.flatMap((type) => [
    `${type}.*`,
    ...(verbsOf.get(type) ?? []).map((verb) => `${type}.${verb}`),
  ]),
]);

/** A list of events, each once, in the order given. */
export const eventsField: Field<readonly string[]> = {
  cleared: { message: blank },
  read(value, report) {
    if (!Array.isArray(value)) return void report('must be a list of events');
    if (value.length === 0) return void report(blank);
    const unknown = value.find((each) => !events.has(each));
    if (unknown === undefined) return [...new Set<string>(value)];
    const name =
      typeof unknown === 'string'
        ? JSON.stringify(unknown.slice(0, 64))
        : 'something other than text';
    return void report(
      coded(
        'not_in_list',
        `holds ${name}, which is not an event: use *, contact.* or contact.update, of ${types.join(', ')}`,
      ),
    );
  },
};

const all = raw(`ARRAY['${[...events].filter((event) => /\w$/.test(event)).join("', '")}']`);

/**
 * SQL: whether the entry whose row is named `e` is one of these events.
 * @param events a text[]
 */
export const eventsOf = (events: Sql): Sql =>
  sql`(e.action = ANY(${all}) AND ${events} && ARRAY['*', e.record_type || '.*', e.action])`;

/** The kinds of records of whose changes a token may know, and of tests. */
export const subscribableBy = ({ scopes }: Viewer): readonly string[] => [
  'webhook',
  ...types.filter((type) => allows(scopes, rightOf(`${type}.read`).scope)),
];

const isOf = (events: readonly string[], type: Type): boolean =>
  events.some((event) => event === '*' || event.startsWith(`${type}.`));

/**
 * Requires of a token that it may read what is sent: it could have all of it sent to itself.
 * @throws {Fault} INSUFFICIENT_SCOPE
 */
export function requireSubscribable(viewer: Viewer, events: readonly string[]): void {
  const matches = types.filter((type) => isOf(events, type));
  requireScopes(
    viewer,
    matches.map((type) => rightOf(`${type}.read`).scope),
  );
}
