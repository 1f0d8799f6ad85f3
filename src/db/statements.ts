import { createHash } from 'node:crypto';
import {
  type ArgType,
  ColumnTypeEnum,
  type SqlQuery,
  type SqlQueryable,
  type SqlResultSet,
} from '@prisma/driver-adapter-utils';
import { LRUCache } from 'lru-cache';
import { classify } from './errors.ts';

/** A statement as the adapter takes it, with the name under which it is kept; '' for none. */
interface NamedQuery extends SqlQuery {
  readonly name: string;
  readonly asker: Asker;
}

/** Who has a statement sent. */
export interface Asker {
  /** Undefined for the service's own work. */
  readonly account?: number | undefined;
  /** Whether it waited for its connection, so that there is nothing more to wait for. */
  readonly waited?: boolean;
}

const nobody: Asker = {};

/**
 * The adapter asks for a name with the very object that it was given to run, and sends the statement
 * before anything else can happen: until then it is that of the {@link lastAsker}.
 */
export function statementName(query: SqlQuery | NamedQuery): string {
  asker = 'asker' in query ? query.asker : nobody;
  return 'name' in query ? query.name : '';
}

let asker = nobody;

/** Who asked for the statement that the adapter wanted a name for last. */
export const lastAsker = (): Asker => asker;

/** A text, and the name under which it is kept; '' for not at all. */
export interface Named {
  readonly name: string;
  readonly text: string;
}

/**
 * Names for statements that stay prepared on the server, by their text. Every connection keeps
 * each of them, so there is a limit; past it statements go unnamed.
 */
export class StatementNames {
  readonly #known = new Map<string, Named>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The text comes back as the very string that was named first, which makes comparing it free. */
  of(text: string): Named {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    if (this.#known.size >= this.#limit) return { name: '', text };
    const name = createHash('sha256').update(text).digest('base64url').slice(0, 22);
    const named = { name, text };
    this.#known.set(text, named);
    return named;
  }
}

const untyped: ArgType = { scalarType: 'unknown', arity: 'scalar' };

/** How often a text must come before it is worth keeping prepared. */
const oftenEnough = 8;

/** At most so often, after which it is tried again. */
const mostOften = 512;

/** Milliseconds of running beside which those of planning are few. */
const worthPlanning = 20;

/** So many long runs within so many runs are the statement's own; one alone may be the machine's. */
const tooManyLong = 3;
const within = 128;

interface Watched {
  readonly times: number;
  /** After so many times it gets its name. */
  readonly enough: number;
  /** How often it ran for long lately. */
  readonly long: number;
}

const unseen: Watched = { times: 0, enough: oftenEnough, long: 0 };

/**
 * Names for texts that clients shape, once they come again and again: planning such a statement
 * often costs more than running it, and a dashboard or a nightly job asks the same all the time.
 * One that often runs for long goes without again for a while: what is prepared has a plan for an
 * account like any other, and a large one does better with its own.
 */
export class FrequentNames {
  readonly #names: StatementNames;
  readonly #texts = new Map<string, string>();
  readonly #seen: LRUCache<string, Watched>;

  /** @param limit how many are named at most; ten times as many are watched, of usual length */
  constructor(limit: number) {
    this.#names = new StatementNames(limit);
    this.#seen = new LRUCache({
      max: 10 * limit,
      maxSize: 100_000 * limit,
      sizeCalculation: (_, text) => text.length,
    });
  }

  of(text: string): Named {
    const { times, enough, long } = this.#seen.get(text) ?? unseen;
    this.#seen.set(text, { times: times + 1, enough, long: times % within === 0 ? 0 : long });
    if (times < enough) return { name: '', text };
    const named = this.#names.of(text);
    if (named.name) this.#texts.set(named.name, named.text);
    return named;
  }

  /** Told how long a statement took, in milliseconds, by the name that it was given. */
  took(name: string, ms: number): void {
    const text = ms > worthPlanning ? this.#texts.get(name) : undefined;
    if (text === undefined) return;
    const { times, enough, long } = this.#seen.get(text) ?? unseen;
    const isOften = long + 1 >= tooManyLong;
    const next = isOften
      ? { times: 0, enough: Math.min(8 * enough, mostOften), long: 0 }
      : { times, enough, long: long + 1 };
    this.#seen.set(text, next);
  }
}

/**
 * Runs one statement and returns its rows as objects.
 * @throws what {@link classify} makes of an error
 */
export async function runStatement<Row>(
  on: SqlQueryable,
  { name, text }: Named,
  values: readonly unknown[],
  asker = nobody,
): Promise<Row[]> {
  const args = [...values];
  const query: NamedQuery = { sql: text, args, argTypes: args.map(() => untyped), name, asker };
  const result = await on.queryRaw(query).catch((error: unknown) => {
    throw classify(error);
  });
  return records(result);
}

function records<Row>({ columnNames, columnTypes, rows }: SqlResultSet): Row[] {
  return rows.map((values) => {
    const record: Record<string, unknown> = {};
    columnNames.forEach((column, at) => {
      const value = values[at];
      const type = columnTypes[at];
      if (type === ColumnTypeEnum.Int64) record[column] = safeInteger(value);
      else if (type === ColumnTypeEnum.Int64Array && Array.isArray(value)) {
        record[column] = value.map(safeInteger);
      } else record[column] = value;
    });
    // Only the caller knows what its own statement selects.
    return record as Row;
  });
}

/** PostgreSQL's bigint, which the driver reads as text, as a number. */
function safeInteger(value: unknown): number | null {
  if (value === null) return null;
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  throw new RangeError(`The database returned ${String(value)}, beyond 2^53-1`);
}
