/** The grammar: turns a query object into a {@link Search}, or reports all that is wrong with it. */
import type { ShapeName, Shapes } from '../db/sql/shape.ts';
import { coded } from '../errors/codes.ts';
import { Faults, invalid } from '../errors/errors.ts';
import {
  type AttributeGroup,
  combined,
  findAttribute,
  findAttributes,
  notSearchable,
} from './attributes.ts';
import type { Predicate, Value } from './predicate.ts';
import { endingOf, predicateNamed } from './predicates.ts';
import {
  type Attribute,
  type Condition,
  everything,
  type Group,
  limits,
  type Search,
  type Sort,
  type Words,
} from './search.ts';
import { readSorts } from './sorts.ts';
import { attributeMeant, keyMeant } from './suggest.ts';
import {
  isBlank,
  isObject,
  kinds,
  listOf,
  readValues,
  strip,
  tooLong,
  tooMany,
  Unreadable,
} from './values.ts';
import { readWords, withWords } from './words.ts';

/**
 * Reads a query of the search language.
 * @param query what the client sent; nothing, null, `{}`, `""` and `[]` ask for everything
 * @param country of the account, in which a number typed as `q` is read
 * @throws {Fault} INVALID_SEARCH with what is wrong with each key, as sent; keys inside a `g` go by
 *   their own name, anything inside a `c` by `c`
 */
export function parseSearch(
  query: unknown,
  shapeName: ShapeName,
  shapes: Shapes,
  country: string | null = null,
): Search {
  const known = isObject(query) ? longSearches.get(query) : undefined;
  const begun = performance.now();
  const isKnown = known?.shapes === shapes && known.search.shape === shapeName;
  if (isKnown && begun - known.readAt < keptForMs) return known.search;
  const reader = new Reader(shapeName, shapes, country);
  const where = asksNothing(query) ? everything : reader.query(query);
  reader.finish(where);
  const { words, sorts } = reader;
  const search = words
    ? withWords(words, shapes[shapeName], { shape: shapeName, where, sorts })
    : { shape: shapeName, where, sorts };
  if (isObject(query) && performance.now() - begun > worthKeepingMs) {
    longSearches.set(query, { shapes, search, readAt: begun });
  }
  return search;
}

/** One variable of a document may be the query of many of its fields; reading a short one again costs less than this. */
const longSearches = new WeakMap<
  object,
  { readonly shapes: Shapes; readonly search: Search; readonly readAt: number }
>();

/** What is so many days from now moves on, and a document that is watched has its variables for hours. */
const keptForMs = 1000;

const worthKeepingMs = 1;

/** What a client sends that has no condition to make. */
const asksNothing = (query: unknown): boolean =>
  query === null ||
  query === undefined ||
  query === '' ||
  (Array.isArray(query) && query.length === 0);

/** Thrown to stop reading a query that is too large to be worth it. */
class TooLarge extends Error {}

class Reader {
  readonly sorts: Sort[] = [];
  /** What was typed as `q`. */
  words: Words | undefined;
  readonly #country: string | null;
  readonly #faults = new Faults('INVALID_SEARCH');
  readonly #shapeName: ShapeName;
  readonly #shapes: Shapes;
  #conditions = 0;

  constructor(shapeName: ShapeName, shapes: Shapes, country: string | null) {
    this.#country = country;
    this.#shapeName = shapeName;
    this.#shapes = shapes;
  }

  query(query: unknown): Group {
    if (!isObject(query)) {
      this.#faults.add('query', 'is not an object');
      return everything;
    }
    try {
      return this.#group(query, 0);
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error;
      throw invalid('query', coded('too_large', error.message), 'INVALID_SEARCH');
    }
  }

  /** @throws {Fault} when anything was wrong */
  finish(where: Group): void {
    if (nesting(where) > limits.nesting) {
      this.#faults.add('g', `is nested more than ${limits.nesting} levels deep`);
    }
    this.#faults.throwIfAny();
  }

  #group(query: Readonly<Record<string, unknown>>, level: number): Group {
    const conditions: Condition[] = [];
    const groups: Group[] = [];
    let any = false;
    for (const [key, sent] of Object.entries(query)) {
      if (isBlank(sent)) continue;
      if (key === 'm') any = this.#any(key, sent);
      else if (key === 'g') groups.push(...this.#groups(sent, level + 1));
      else if (key === 'c') {
        const entries = this.#list(key, sent, 'conditions');
        conditions.push(...entries.flatMap((entry) => this.#entry(entry)));
      } else if (key === 's' || key === 'sorts') this.#sorts(key, sent, level);
      else if (key === 'q' && this.#shapes[this.#shapeName].foundBy) this.#typed(sent, level);
      else {
        // Only strings at the top level are stripped.
        const value = level === 0 && typeof sent === 'string' ? strip(sent) : sent;
        conditions.push(...this.#keyed(key, value));
      }
    }
    const [only] = groups;
    if (only && groups.length === 1 && conditions.length === 0) return only;
    return { any, conditions, groups };
  }

  #any(key: string, sent: unknown): boolean {
    if (sent !== 'and' && sent !== 'or') this.#faults.add(key, 'is neither "and" nor "or"');
    return sent === 'or';
  }

  #sorts(key: string, sent: unknown, level: number): void {
    if (level > 0) {
      this.#faults.add(key, 'does not stand at the top of the query');
      return;
    }
    for (const sort of readSorts(sent, this.#shapeName, this.#shapes)) {
      if (sort instanceof Unreadable) this.#faults.add(key, sort);
      else this.sorts.push(sort);
    }
  }

  #typed(sent: unknown, level: number): void {
    if (level > 0) {
      this.#faults.add('q', 'does not stand at the top of the query');
      return;
    }
    const { numberForms } = this.#shapes[this.#shapeName];
    const words = readWords(sent, (typed) => numberForms?.(typed, this.#country) ?? []);
    if (words instanceof Unreadable) this.#faults.add('q', words);
    else this.words = words;
  }

  #groups(sent: unknown, level: number): readonly Group[] {
    if (level > limits.wrapping) {
      throw new TooLarge(`is nested more than ${limits.nesting} levels deep`);
    }
    // Like a blank value, an empty group asks for nothing.
    return this.#list('g', sent, 'queries')
      .map((query) => this.#group(query, level))
      .filter(({ conditions, groups }) => conditions.length > 0 || groups.length > 0);
  }

  #list(key: string, sent: unknown, of: string): readonly Readonly<Record<string, unknown>>[] {
    const given = listOf(sent);
    if (given && given.length > limits.values) {
      this.#faults.add(key, coded('too_many', tooMany(of)));
      return [];
    }
    const list = given?.filter((element) => !isBlank(element));
    if (list?.every(isObject)) return list;
    this.#faults.add(key, `is not a list of ${of}`);
    return [];
  }

  #keyed(key: string, sent: unknown): readonly Condition[] {
    this.#count(1);
    if (key.length > limits.text) {
      this.#faults.add('query', coded('too_long', `has a key that ${tooLong}`));
      return [];
    }
    const ending = endingOf(key);
    if (ending) {
      const found = findAttributes(ending.rest, this.#shapeName, this.#shapes);
      return this.#condition(key, found, ending.predicate, sent);
    }
    const bare = findAttribute(key, this.#shapeName, this.#shapes);
    const { code, message } =
      bare instanceof Unreadable
        ? coded('unknown_predicate', 'has an unknown predicate')
        : coded('no_predicate', 'has no predicate');
    const meant = keyMeant(key, this.#shapeName, this.#shapes);
    this.#faults.add(key, coded(code, message + (meant || ' (all are listed at /docs)')));
    return [];
  }

  #condition(
    key: string,
    found: AttributeGroup | Unreadable,
    predicate: Predicate,
    sent: unknown,
  ): readonly Condition[] {
    if (found instanceof Unreadable) {
      const isUnknown = found.message === notSearchable;
      const meant = isUnknown ? keyMeant(key, this.#shapeName, this.#shapes) : '';
      this.#faults.add(key, coded(found.code, found.message + meant));
      return [];
    }
    const { attributes, any } = found;
    this.#count(attributes.length - 1);
    const values: (readonly Value[])[] = [];
    for (const { kind } of attributes) {
      const read = predicate.on.includes(kind)
        ? readValues(sent, predicate, kind)
        : new Unreadable(`cannot ask ${predicate.name} of ${kinds[kind].noun}`);
      if (read instanceof Unreadable) this.#faults.add(key, read);
      else values.push(read);
    }
    return values.length === attributes.length ? [{ any, attributes, predicate, values }] : [];
  }

  /** An entry of `c`, a condition in full: `{a: [attributes], p: predicate, v: [values], m: "or"|"and"}`. */
  #entry({ a, p, v, m, ...rest }: Readonly<Record<string, unknown>>): readonly Condition[] {
    for (const key of Object.keys(rest).slice(0, 1)) {
      this.#faults.add('c', `"${key}" is none of a, p, v and m`);
    }
    const given = listOf(v) ?? [v];
    if (given.length > limits.values) {
      this.#faults.add('c', coded('too_many', tooMany('values')));
      return [];
    }
    const values = given.map((value) => unwrap(value, 'value'));
    if (isBlank(values)) return [];
    const listed = isBlank(a) ? [] : (listOf(a) ?? [a]);
    this.#count(listed.length > limits.conditions ? listed.length : 1);
    const names = listed.map((name) => unwrap(name, 'name'));
    const predicate = typeof p === 'string' ? predicateNamed(p) : undefined;
    if (!predicate) {
      this.#faults.add('c', coded('unknown_predicate', 'has an unknown predicate as p'));
    }
    if (names.length === 0) this.#faults.add('c', 'names no attribute as a');
    const any = isBlank(m) ? false : this.#any('c', m);
    const found = names.map((name) => this.#named(name));
    if (!predicate || names.length === 0) return [];
    const sent = predicate.takes !== 'list' && values.length === 1 ? values[0] : values;
    return this.#condition('c', combined(found, any), predicate, sent);
  }

  #named(name: unknown): Attribute | Unreadable {
    if (typeof name !== 'string') return new Unreadable('holds an attribute that is not a name');
    const found = findAttribute(name, this.#shapeName, this.#shapes);
    if (!(found instanceof Unreadable)) return found;
    const meant = attributeMeant(name, this.#shapeName, this.#shapes);
    return new Unreadable(`"${name}" ${found.message}${meant}`, found.code);
  }

  #count(more: number): void {
    this.#conditions += more;
    if (this.#conditions > limits.conditions) {
      throw new TooLarge(`has more than ${limits.conditions} conditions`);
    }
  }
}

/** Forms send `{name: ...}` and `{value: ...}` instead of just the text. */
function unwrap(sent: unknown, key: 'name' | 'value'): unknown {
  return isObject(sent) && Object.keys(sent).join() === key ? sent[key] : sent;
}

/** How many levels of groups are inside a group. */
function nesting({ groups }: Group): number {
  return Math.max(0, ...groups.map((group) => 1 + nesting(group)));
}
