/**
 * Parameterised SQL, composed of tagged templates by Prisma; values never enter the text. A piece within another
 * becomes part of it at once, so that what is composed once and kept, as what a selection reads is, is one list of
 * texts. Besides, this knows identifiers, and the account that a statement is for.
 */
import { LRUCache } from 'lru-cache';
import { Prisma } from '../../generated/prisma/client.ts';
import { memoize } from '../../lib/memoize.ts';

/** A statement as it is sent: values are `$1` and so on in its text. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A piece of SQL. */
export type Sql = Prisma.Sql;

/**
 * `sql` composes SQL, each part of which is a value or a piece of SQL; `raw` is a text that the code wrote (never a
 * client); `join` puts parts one after the other, with a comma or what is given between each two.
 */
export const { Sql, sql, raw, join, empty } = Prisma;

/** Stands for the account in SQL that is composed once for all of them. */
export const accountParameter = Symbol('account');

/** An account's id, or what stands for it until {@link ofAccount} puts it there. */
export type AccountId = number | typeof accountParameter;

/** The SQL with an account's id in the place of {@link accountParameter}. */
export const ofAccount = (composed: Sql, account: AccountId): Sql =>
  account === accountParameter
    ? composed
    : new Sql(
        composed.strings,
        composed.values.map((value) => (value === accountParameter ? account : value)),
      );

/** Statements that differ in values alone. */
export interface Template {
  readonly text: string;
  /** @param values of the parameters, in their order */
  of(values: readonly unknown[]): Statement;
}

/**
 * Composes a text once: it is the same string each time then, and need not be hashed or compared again.
 * @param parameters symbols that stand for values in the SQL, each at least once; it is one place of the text,
 *   however often it stands there
 */
export function template({ strings, values }: Sql, parameters: readonly unknown[]): Template {
  const constants: unknown[] = [];
  const placeOf = (value: unknown) =>
    1 + parameters.indexOf(value) || parameters.length + constants.push(value);
  const [first = '', ...others] = strings;
  const text = others.reduce(
    (before, after, at) => `${before}$${placeOf(values[at])}${after}`,
    first,
  );
  return { text, of: (of) => ({ text, values: [...of, ...constants] }) };
}

/** What statements that differ in values alone have in common. */
export interface Form<Part> {
  /** The same for all of them, whatever they select. */
  readonly key: string;
  /** Of this one. */
  readonly values: readonly unknown[];
  /** @param compose the SQL around a part with symbols in the place of the values */
  template(compose: (part: Part) => Sql): Template;
}

/** The latest, by what they are composed for and their form: clients choose among any number of both. */
const templates = new LRUCache<string, Template>({
  maxSize: 16 * 1024 * 1024,
  sizeCalculation: ({ text }, key) => text.length + key.length,
});

let lastNumber = 0;
const numberOf = memoize((_: object) => ({ number: (lastNumber += 1) }));

/**
 * A statement of a form.
 * @param selection what it is composed for, besides
 * @param compose the SQL; nothing but the selection may change it from one call to the other
 */
export function statementFor<Part>(
  selection: object,
  form: Form<Part>,
  compose: (part: Part) => Sql,
): Statement {
  const key = `${numberOf(selection).number} ${form.key}`;
  let known = templates.get(key);
  if (!known) {
    known = form.template(compose);
    templates.set(key, known);
  }
  return known.of(form.values);
}

const standIns: symbol[] = [];

/**
 * SQL with symbols in the place of its values, for a {@link template} of all SQL of the same texts; the account
 * stays what stands for it.
 */
export function marked({ strings, values }: Sql): { sql: Sql; parameters: unknown[] } {
  const parameters: unknown[] = [];
  const stand = (value: unknown) => {
    if (value === accountParameter) return value;
    const at = parameters.length;
    standIns[at] ??= Symbol(`value ${at}`);
    parameters.push(standIns[at]);
    return standIns[at];
  };
  return { sql: new Sql(strings, values.map(stand)), parameters };
}

/** Names by their identifiers, of which there are few. */
const names = new LRUCache<string, Sql>({ max: 2000 });

/** An identifier, quoted. */
export function name(identifier: string): Sql {
  let known = names.get(identifier);
  if (!known) {
    known = raw(`"${identifier.replaceAll('"', '""')}"`);
    names.set(identifier, known);
  }
  return known;
}

/** An id that no record has, for where there is none: Citus cannot plan a comparison with NULL. */
export const noId = 0;
