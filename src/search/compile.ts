/**
 * Conditions to parameterised SQL. Values are parameters, always; names come from the shapes.
 *
 * What lies behind an association is bound once: all conditions on `deals_…` speak of the same
 * deal, and a record matches when there is a deal for which the whole query holds. Where there
 * is none at all, they speak of a deal without values, of which `null` and `blank` are true. A
 * negative condition behind a to-many association is the exception: it denies that any of them
 * differs. "There is one" is pushed inwards as far as it goes, so that what PostgreSQL sees are
 * plain joins of the parts that need each other.
 */
import type { Shapes } from '../db/shape.ts';
import { join, raw, type Sql, sql } from '../db/sql.ts';
import { column, type Row, type Step, stepTo } from './associations.ts';
import { codePoints, type Predicate, type Value } from './predicates.ts';
import type { Attribute, Group, Search, Sort } from './search.ts';

/** A search as SQL over one row. */
export interface Compiled {
  /** A boolean expression; the caller adds the account of the row itself. */
  readonly where: Sql;
  /** What stands after ORDER BY; ends with the id, so it is total. */
  readonly order: Sql;
}

/** A value that rows are ordered by. */
export interface Key {
  readonly value: Sql;
  readonly descending: boolean;
}

/**
 * @param alias name of the row that the search is about; it and `s1`, `s2`, … are taken
 * @param accountId every subquery is bound to it, and to the account of the row that it belongs to
 */
export function compileSearch(
  search: Search,
  alias: string,
  shapes: Shapes,
  accountId: number,
): Compiled {
  const keys = compileSorts(search, alias, shapes, accountId);
  return {
    where: new Compiler(shapes, accountId).where(search, alias),
    order: join(
      keys.map(({ value, descending }) => sql`${value} ${raw(descending ? 'DESC' : 'ASC')}`),
      ', ',
    ),
  };
}

/** The keys of a search's order, the id last: PostgreSQL puts nulls last, and first descending. */
export function compileSorts(
  search: Search,
  alias: string,
  shapes: Shapes,
  accountId: number,
): readonly Key[] {
  const compiler = new Compiler(shapes, accountId);
  const row = { shape: shapes[search.shape], alias };
  const keys: Key[] = [];
  const sorted = new Set<string>();
  for (const { attribute, descending } of search.sorts) {
    const full = [...attribute.path, attribute.column].join('.');
    if (sorted.has(full)) continue;
    sorted.add(full);
    keys.push({ value: compiler.key(attribute, attribute.path, row), descending });
    if (full === 'id') return keys;
  }
  return [...keys, { value: column(alias, 'id'), descending: false }];
}

/** Conditions as a tree of which only the leaves know attributes. */
type Formula = Leaf | Junction;

interface Leaf {
  readonly attribute: Attribute;
  readonly predicate: Predicate;
  readonly values: readonly Value[];
  /** It speaks of all rows behind its path together. */
  readonly denial: boolean;
}

interface Junction {
  readonly any: boolean;
  readonly of: readonly Formula[];
}

/** The rows that a path leads to, once they are bound; the record itself under `''`. */
type Bound = ReadonlyMap<string, Row>;

const isLeaf = (formula: Formula): formula is Leaf => 'attribute' in formula;
const prefix = (path: readonly string[], length: number) => path.slice(0, length).join('.');

class Compiler {
  readonly #shapes: Shapes;
  readonly #accountId: number;
  #aliases = 0;

  constructor(shapes: Shapes, accountId: number) {
    this.#shapes = shapes;
    this.#accountId = accountId;
  }

  where(search: Search, alias: string): Sql {
    const row = { shape: this.#shapes[search.shape], alias };
    return this.#holds(this.#formula(search.where, row.shape), new Map([['', row]]));
  }

  /** What a record is ordered by: its column, or that of the one record behind its path. */
  key(attribute: Attribute, path: readonly string[], row: Row): Sql {
    const [first, ...rest] = path;
    if (first === undefined) {
      const value = column(row.alias, attribute.column);
      return attribute.kind === 'text' ? sql`${value} ${codePoints}` : value;
    }
    const step = this.#step(row, first);
    return sql`(SELECT ${this.key(attribute, rest, step.row)} FROM ${step.from} WHERE ${step.tie})`;
  }

  #formula(group: Group, shape: Row['shape']): Junction {
    const conditions = group.conditions.map(({ any, attributes, predicate, values }): Formula => {
      const of = attributes.map((attribute, at): Leaf => {
        const given = values[at] ?? [];
        const denial = predicate.negative(given) && this.#leadsToMany(attribute, shape);
        return { attribute, predicate, values: given, denial };
      });
      return { any, of };
    });
    return {
      any: group.any,
      of: [...conditions, ...group.groups.map((inner) => this.#formula(inner, shape))],
    };
  }

  #leadsToMany({ path }: Attribute, shape: Row['shape']): boolean {
    let at = shape;
    for (const step of path) {
      const association = at.associations[step];
      if (association?.many) return true;
      if (association) at = this.#shapes[association.to];
    }
    return false;
  }

  #step(row: Row, association: string): Step {
    const found = row.shape.associations[association];
    if (!found) throw new Error(`${row.shape.table} has no ${association}`);
    this.#aliases += 1;
    return stepTo(row, found, this.#shapes, this.#accountId, `s${this.#aliases}`);
  }

  /** SQL that is true when rows exist for what is not yet bound, so that the formula holds. */
  #holds(formula: Formula, bound: Bound): Sql {
    if (isLeaf(formula)) {
      if (formula.denial) return this.#denies(formula, formula.attribute.path, bound.get(''));
      const next = unbound(formula, bound);
      return next === undefined ? ask(formula, bound) : this.#exists(next, formula, bound);
    }
    const { any, of } = formula;
    const [only] = of;
    if (only === undefined) return raw('TRUE');
    if (of.length === 1) return this.#holds(only, bound);
    const parts = any
      ? of.map((part) => this.#holds(part, bound))
      : together(flat(of), bound).map(({ parts, next }) => {
          const part: Formula = { any: false, of: parts };
          return parts.length > 1 && next !== undefined
            ? this.#exists(next, part, bound)
            : join(
                parts.map((single) => this.#holds(single, bound)),
                ' AND ',
              );
        });
    return parts.length === 1 ? join(parts) : sql`(${join(parts, any ? ' OR ' : ' AND ')})`;
  }

  /** There is a row behind `path`, or the one without values, for which the formula holds. */
  #exists(path: string, formula: Formula, bound: Bound): Sql {
    const at = path.lastIndexOf('.');
    const from = bound.get(path.slice(0, Math.max(0, at)));
    if (!from) throw new Error(`${path} hangs in the air`);
    const step = this.#step(from, path.slice(at + 1));
    const inner = this.#holds(formula, new Map(bound).set(path, step.row));
    const missing = withoutRow(formula, path, bound);
    if (missing === undefined) {
      return sql`EXISTS (SELECT FROM (SELECT) AS record LEFT JOIN ${step.from} ON ${step.tie} WHERE ${inner})`;
    }
    const exists = sql`EXISTS (SELECT FROM ${step.from} WHERE ${step.tie} AND ${inner})`;
    if (!missing) return exists;
    const other = this.#step(from, path.slice(at + 1));
    return sql`(${exists} OR NOT EXISTS (SELECT FROM ${other.from} WHERE ${other.tie}))`;
  }

  /** None of the rows behind the path contradicts the condition. */
  #denies(leaf: Leaf, path: readonly string[], row: Row | undefined): Sql {
    if (!row) throw new Error('A denial starts from the record');
    return sql`NOT ${this.#contradicts(leaf, path, row)}`;
  }

  #contradicts(leaf: Leaf, path: readonly string[], row: Row): Sql {
    const [first, ...rest] = path;
    if (first === undefined) return sql`NOT ${test(leaf, row)}`;
    const step = this.#step(row, first);
    return sql`EXISTS (SELECT FROM ${step.from} WHERE ${step.tie} AND ${this.#contradicts(leaf, rest, step.row)})`;
  }
}

/** The shortest beginning of a leaf's path that no row is bound to. */
function unbound({ attribute: { path } }: Leaf, bound: Bound): string | undefined {
  for (let length = 1; length <= path.length; length++) {
    const start = prefix(path, length);
    if (!bound.has(start)) return start;
  }
  return undefined;
}

function ask(leaf: Leaf, bound: Bound): Sql {
  const row = bound.get(leaf.attribute.path.join('.'));
  if (!row) throw new Error(`${leaf.attribute.path.join('.')} is not bound`);
  return test(leaf, row);
}

/** The condition on a row, in brackets where it could run into what stands around it. */
function test({ attribute, predicate, values }: Leaf, { alias }: Row): Sql {
  const value = column(alias, attribute.column);
  if (attribute.kind === 'labels') {
    const one = predicate.test(raw('label.text'), 'text', values);
    const labels = sql`SELECT FROM unnest(${value}) AS label(text) WHERE`;
    if (!predicate.negative(values)) return sql`EXISTS (${labels} ${one})`;
    // The record itself must be there: of one that is missing nothing holds.
    const present = sql`${column(alias, 'account_id')} IS NOT NULL`;
    return sql`(${present} AND NOT EXISTS (${labels} NOT ${one}))`;
  }
  const asked = attribute.key === undefined ? value : sql`(${value} ->> ${attribute.key}::text)`;
  return sql`(${predicate.test(asked, attribute.kind, values)})`;
}

/** Parts of a conjunction, with those of its own conjunctions. */
function flat(parts: readonly Formula[]): readonly Formula[] {
  return parts.flatMap((part) => (isLeaf(part) || part.any ? [part] : flat(part.of)));
}

/** Parts of a conjunction by what they need bound: those that share a row must hold of the same. */
function together(
  parts: readonly Formula[],
  bound: Bound,
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

/** What a formula needs bound next. */
function needs(formula: Formula, bound: Bound): readonly string[] {
  if (!isLeaf(formula)) return formula.of.flatMap((part) => needs(part, bound));
  const next = formula.denial ? undefined : unbound(formula, bound);
  return next === undefined ? [] : [next];
}

/** Whether a formula holds when there is no row behind a path: undefined when it depends. */
function withoutRow(formula: Formula, path: string, bound: Bound): boolean | undefined {
  if (isLeaf(formula)) {
    const { attribute, denial, predicate, values } = formula;
    const behind = prefix(attribute.path, path.split('.').length) === path;
    return behind && !denial ? predicate.ofMissing(values) : undefined;
  }
  const parts = formula.of.map((part) => withoutRow(part, path, bound));
  if (parts.some((part) => part === formula.any)) return formula.any;
  return parts.every((part) => part === !formula.any) ? !formula.any : undefined;
}
