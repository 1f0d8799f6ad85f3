/** Which changes a webhook can be told, and which one is told. */
import { requireScopes, rightOf } from '../../auth/policy.ts';
import type { Viewer } from '../../auth/viewer.ts';
import type { RecordType } from '../../db/shape.ts';
import { raw, type Sql, sql } from '../../db/sql.ts';
import { blank } from '../kernel/fields.ts';
import type { Field } from '../kernel/input.ts';

const written = ['create', 'update', 'delete'] as const;
const placed = [...written, 'reorder'] as const;

/** The kinds of records whose changes are told, with what can happen to each. */
const told = {
  account: ['update'],
  contact: written,
  deal: written,
  deal_assignee: written,
  deal_product: written,
  event: written,
  pipeline: placed,
  product: written,
  stage: placed,
  user: written,
} as const satisfies Partial<Record<RecordType | 'account', readonly string[]>>;

type Told = keyof typeof told;

const types = Object.keys(told) as readonly Told[];

/** Every event that a webhook can name. */
const events: ReadonlySet<string> = new Set([
  '*',
  ...types.flatMap((type) => [`${type}.*`, ...told[type].map((verb) => `${type}.${verb}`)]),
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
      typeof unknown === 'string' ? JSON.stringify(unknown.slice(0, 64)) : 'what is no text';
    return void report(
      `holds ${name}, which is none: there are * and, of ${types.join(', ')}, such as contact.* and contact.update`,
    );
  },
};

const all = raw(`ARRAY['${[...events].filter((event) => /\w$/.test(event)).join("', '")}']`);

/**
 * SQL: whether the entry whose row is named `e` is one of these events.
 * @param events a text[]
 */
export const toldBy = (events: Sql): Sql =>
  sql`(e.action = ANY(${all}) AND ${events} && ARRAY['*', e.record_type || '.*', e.action])`;

const isOf = (events: readonly string[], type: Told): boolean =>
  events.some((event) => event === '*' || event.startsWith(`${type}.`));

/**
 * Requires of a token that it may read what is told: it could have all of it sent to itself.
 * @throws {Fault} INSUFFICIENT_SCOPE
 */
export function requireTold(viewer: Viewer, events: readonly string[]): void {
  const read = types.filter((type) => isOf(events, type));
  requireScopes(
    viewer,
    read.map((type) => rightOf(`${type}.read`).scope),
  );
}
