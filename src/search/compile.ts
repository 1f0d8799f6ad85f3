/**
 * Compiles conditions to parameterised SQL. Values are always parameters; names come from the shapes.
 *
 * An associated row is bound once: all conditions on `deals_…` are about the same deal, and a record
 * matches when it has a deal for which the whole query holds. When it has none at all, they are about
 * a deal without values, for which `null` and `blank` are true. Negative conditions behind a to-many
 * association are the exception: they must hold of every associated row. EXISTS is pushed inwards as
 * far as possible, so that PostgreSQL sees plain joins of those parts that depend on each other.
 */
import { columnValue } from '../db/sql/computed_column.ts';
import type { Shape, Shapes } from '../db/sql/shape.ts';
import { type AccountId, join, raw, type Sql, sql } from '../db/sql/sql.ts';
import {
  associationOf,
  column,
  joinOf,
  type Row,
  type Step,
  some,
  stepTo,
} from './associations.ts';
import { onlyValue, type SourceRows, testComputed } from './computed_column.ts';
import { foldedTogether } from './plan.ts';
import type { Predicate, Value } from './predicate.ts';
import type { Attribute, Group, Search, Words } from './search.ts';
import { hasWords, impliedBy } from './word_search.ts';

/**
 * The conditions of a search as SQL over one row.
 * @param alias name of the row that the search is about; besides it `s1`, `s2`, … are taken
 * @param sources those that the statement goes through, of which the row's is the one at hand
 * @param accountId every subquery and join is bound to it, and to the account of the row
 * @returns a boolean expression; the caller adds the account of the row itself
 */
export const compileWhere = (
  search: Search,
  alias: string,
  shapes: Shapes,
  accountId: AccountId,
  sources?: SourceRows,
): Sql => new Compiler(search, shapes, accountId, sources).where(alias);

/** Conditions as a tree, whose leaves alone know attributes. */
type Formula = Leaf | Junction;

interface Leaf {
  readonly attribute: Attribute;
  readonly predicate: Predicate;
  readonly values: readonly Value[];
  /** Whether it must hold of all rows that its path leads to. */
  readonly denial: boolean;
  /** What was typed as `q`. */
  readonly words?: Words;
  /** Instead of its own condition: that the row's folded text has some of these. */
  readonly folded?: readonly string[];
}

interface Junction {
  readonly any: boolean;
  readonly of: readonly Formula[];
  /** Whether no index is to find rows by it, because another condition finds them better. */
  readonly filters?: true;
}

/** Rows that are bound, by path; the record itself has the path `''`. */
type RowsByPath = ReadonlyMap<string, Row>;

const isLeaf = (formula: Formula): formula is Leaf => 'attribute' in formula;
const prefix = (path: readonly string[], length: number) => path.slice(0, length).join('.');

class Compiler {
  readonly #search: Search;
  readonly #shapes: Shapes;
  readonly #accountId: AccountId;
  readonly #sources: SourceRows | undefined;
  #aliases = 0;

  constructor(
    search: Search,
    shapes: Shapes,
    accountId: AccountId,
    sources: SourceRows | undefined,
  ) {
    this.#search = search;
    this.#shapes = shapes;
    this.#accountId = accountId;
    this.#sources = sources;
  }

  where(alias: string): Sql {
    const { shape, where } = this.#search;
    const row = { shape: this.#shapes[shape], alias };
    return this.#holds(this.#formula(where, row.shape), new Map([['', row]]));
  }

  #formula(group: Group, shape: Shape): Junction {
    const conditions = group.conditions.map((condition): Formula => {
      const { any, attributes, predicate, values, words } = condition;
      const [own] = attributes;
      if (words && own) {
        return { attribute: own, predicate, values: values[0] ?? [], denial: false, words };
      }
      const of = attributes.map((attribute, at): Leaf => {
        const given = values[at] ?? [];
        const denial = predicate.negative(given) && this.#owner(attribute, shape).many;
        return { attribute, predicate, values: given, denial };
      });
      const attribute = any ? attributes[0] : undefined;
      const folded = attribute && foldedTogether(condition, this.#owner(attribute, shape).shape);
      const [only] = of;
      if (!folded) return only && of.length === 1 ? only : { any, of };
      const implied = { attribute, predicate, values: values[0] ?? [], denial: false, folded };
      return { any: false, of: [implied, { any, of, filters: true }] };
    });
    return {
      any: group.any,
      of: [...conditions, ...group.groups.map((inner) => this.#formula(inner, shape))],
    };
  }

  /** The shape that has an attribute, and whether a record may have several such rows. */
  #owner({ path }: Attribute, from: Shape): { shape: Shape; many: boolean } {
    let owner = { shape: from, many: false };
    for (const step of path) {
      const association = associationOf(owner.shape, step);
      owner = { shape: this.#shapes[association.to], many: owner.many || association.many };
    }
    return owner;
  }

  #step(row: Row, association: string): Step {
    this.#aliases += 1;
    return stepTo(row, association, this.#shapes, this.#accountId, `s${this.#aliases}`);
  }

  /**
   * SQL that is true when the formula holds for some rows of the paths that are not bound yet.
   * @param required whether the WHERE is only true when this is: then it can become a join
   */
  #holds(formula: Formula, bound: RowsByPath, required = true): Sql {
    if (isLeaf(formula)) {
      if (formula.denial) return this.#denies(formula, bound, required);
      const next = unbound(formula, bound);
      return next === undefined
        ? this.#ask(formula, bound, required)
        : this.#exists(next, formula, bound, required);
    }
    const { any, of, filters } = formula;
    if (filters) return sql`(${this.#holds({ any, of }, bound, required)} IS TRUE)`;
    const [only] = of;
    if (only === undefined) return raw('TRUE');
    if (of.length === 1) return this.#holds(only, bound, required);
    const parts = any
      ? of.map((part) => this.#holds(part, bound, false))
      : this.#allHold(flat(of), bound, required);
    return parts.length === 1 ? join(parts) : sql`(${join(parts, any ? ' OR ' : ' AND ')})`;
  }

  #allHold(of: readonly Formula[], bound: RowsByPath, required: boolean): readonly Sql[] {
    const each = (part: Formula) => this.#holds(part, bound, required);
    // Most searches ask nothing but the record itself.
    if (of.every((part) => needs(part, bound).length === 0)) return of.map(each);
    return grouped(of, bound).flatMap(({ parts, next }) =>
      parts.length > 1 && next !== undefined
        ? [this.#exists(next, { any: false, of: parts }, bound, required)]
        : parts.map(each),
    );
  }

  /** The formula holds for some row that `path` leads to, or for a row without values. */
  #exists(path: string, formula: Formula, bound: RowsByPath, required: boolean): Sql {
    const at = path.lastIndexOf('.');
    const row = bound.get(path.slice(0, Math.max(0, at)));
    if (!row) throw new Error(`${path} starts from no bound row`);
    const step = this.#step(row, path.slice(at + 1));
    const missing = withoutRow(formula, path);
    const holds = (inJoin: boolean) =>
      this.#holds(formula, new Map([...bound, [path, step.row]]), inJoin);
    if (missing === undefined) {
      const { from, on } = joinOf(step);
      return sql`EXISTS (SELECT FROM (SELECT) AS record LEFT JOIN ${from} ON ${on} WHERE ${holds(false)})`;
    }
    if (missing) {
      const any = some(this.#step(row, path.slice(at + 1)), raw('TRUE'), 'each');
      return sql`(${some(step, holds(false), 'each')} OR NOT ${any})`;
    }
    if (!required || !isWithin(formula, path)) return some(step, holds(false), 'each');
    return some(step, holds(true), at < 0 ? 'join' : 'among');
  }

  /** No row that the leaf's path leads to contradicts it. */
  #denies(leaf: Leaf, bound: RowsByPath, required: boolean): Sql {
    const row = bound.get('');
    if (!row) throw new Error('the record is not bound');
    return sql`NOT ${this.#contradicts(leaf, leaf.attribute.path, row, required)}`;
  }

  #contradicts(leaf: Leaf, path: readonly string[], row: Row, required: boolean): Sql {
    const [first, ...rest] = path;
    if (first === undefined) return sql`NOT ${this.#test(leaf, row, false)}`;
    const step = this.#step(row, first);
    const inner = this.#contradicts(leaf, rest, step.row, required);
    return some(step, inner, !required ? 'each' : path === leaf.attribute.path ? 'join' : 'among');
  }

  #ask(leaf: Leaf, bound: RowsByPath, required: boolean): Sql {
    const row = bound.get(leaf.attribute.path.join('.'));
    if (!row) throw new Error(`${leaf.attribute.path.join('.')} is not bound`);
    return this.#test(leaf, row, required);
  }

  #find(words: Words, row: Row): Sql {
    this.#aliases += 1;
    return hasWords(row, words, this.#shapes, this.#accountId, `s${this.#aliases}`);
  }

  #test(leaf: Leaf, row: Row, required: boolean): Sql {
    if (leaf.words) return this.#find(leaf.words, row);
    if (leaf.folded) return impliedBy(row, leaf.folded);
    const computed = row.shape.computed?.[leaf.attribute.column];
    if (!computed) return test(leaf, row, this.#accountId);
    const own = leaf.attribute.path.length === 0;
    const given = own ? onlyValue(this.#search.where, computed.key) : undefined;
    const only = given === undefined ? undefined : sql`${given}::bigint`;
    const condition = { ...leaf, computed, by: own ? (this.#sources ?? only) : undefined };
    return testComputed(condition, row, this.#shapes, this.#accountId, required);
  }
}

/** The shortest prefix of a leaf's path that is not bound yet. */
function unbound({ attribute: { path } }: Leaf, bound: RowsByPath): string | undefined {
  for (let length = 1; length <= path.length; length++) {
    const start = prefix(path, length);
    if (!bound.has(start)) return start;
  }
  return undefined;
}

/** The condition of a leaf on a row. */
function test({ attribute, predicate, values }: Leaf, row: Row, accountId: AccountId): Sql {
  const value = sql`(${columnValue(row.shape, attribute.column, row.alias, accountId)})`;
  // Free-form values are stored as they were sent, not in the form that values are looked for in.
  const asked =
    attribute.key === undefined ? value : sql`normalize(${value} ->> ${attribute.key}::text, NFC)`;
  const holds = predicate.test(asked, attribute.kind, values);
  if (attribute.kind !== 'labels' || !predicate.negative(values)) return sql`(${holds})`;
  // Nothing holds of a missing record, not even that it lacks a label.
  return sql`(${column(row.alias, 'account_id')} IS NOT NULL AND ${holds})`;
}

/** The parts of a conjunction, with nested conjunctions flattened. */
function flat(parts: readonly Formula[]): readonly Formula[] {
  if (parts.every((part) => isLeaf(part) || part.any)) return parts;
  return parts.flatMap((part) => (isLeaf(part) || part.any ? [part] : flat(part.of)));
}

/** Groups the parts of a conjunction that depend on the same unbound rows. */
function grouped(
  parts: readonly Formula[],
  bound: RowsByPath,
): readonly { readonly parts: readonly Formula[]; readonly next: string | undefined }[] {
  let sets: { parts: Formula[]; needs: ReadonlySet<string> }[] = [];
  for (const part of parts) {
    const own = new Set(needs(part, bound));
    const touching = sets.filter((set) => [...set.needs].some((need) => own.has(need)));
    const merged = {
      parts: [...touching.flatMap((set) => set.parts), part],
      needs: new Set([...own, ...touching.flatMap((set) => [...set.needs])]),
    };
    sets = [...sets.filter((set) => !touching.includes(set)), merged];
  }
  return sets.map((set) => ({ parts: set.parts, next: [...set.needs][0] }));
}

/** The paths that a formula needs bound next. */
function needs(formula: Formula, bound: RowsByPath): readonly string[] {
  if (!isLeaf(formula)) return formula.of.flatMap((part) => needs(part, bound));
  const next = formula.denial ? undefined : unbound(formula, bound);
  return next === undefined ? [] : [next];
}

const isBehind = ({ attribute }: Leaf, path: string) =>
  prefix(attribute.path, path.split('.').length) === path;

/** Whether a formula is only about rows that a path leads to. */
function isWithin(formula: Formula, path: string): boolean {
  if (isLeaf(formula)) return !formula.denial && isBehind(formula, path);
  return formula.of.every((part) => isWithin(part, path));
}

/** Whether a formula holds when a path leads to no row; undefined when that depends on others. */
function withoutRow(formula: Formula, path: string): boolean | undefined {
  if (isLeaf(formula)) {
    if (formula.denial || !isBehind(formula, path)) return undefined;
    return formula.predicate.ofMissing(formula.values);
  }
  const parts = formula.of.map((part) => withoutRow(part, path));
  if (parts.some((part) => part === formula.any)) return formula.any;
  return parts.every((part) => part === !formula.any) ? !formula.any : undefined;
}
