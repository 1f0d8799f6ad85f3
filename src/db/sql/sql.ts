/**
 * Parameterised SQL, composed of tagged templates by Prisma; values never enter the text. A piece within another
 * becomes part of it at once, so that what is composed once and kept, as what a selection reads is, is one list of
 * texts. Besides, this knows identifiers, and the account that a statement is for.
 */
import { LRUCache } from 'lru-cache';
import { Prisma } from '../../generated/prisma/client.ts';

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

/**
 * A statement for any account: its first value is to be the account, however often it stands there,
 * and those of the SQL follow.
 */
export function forAnyAccount({ text, values }: Sql): Statement {
  const places = new Map<number, number>();
  const others = values.filter((value, at) => {
    if (value !== accountParameter) places.set(at + 1, places.size + 2);
    return value !== accountParameter;
  });
  const renumbered = text.replace(/\$(\d+)/g, (_, place) => `$${places.get(Number(place)) ?? 1}`);
  return { text: renumbered, values: others };
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
