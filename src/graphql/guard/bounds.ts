import { type GraphQLSchema, isNonNullType } from 'graphql';
import type { Context } from '../../context.ts';
import { turnstile } from '../../turnstile.ts';
import { limits } from './limits.ts';
import { type Fetched, recordsIn, tooManyRecords } from './records.ts';

/** Root fields of one request that are at work at once, each with a connection. */
const atOnce = 4;

/** A client's request that needs bounds while it runs; the service's own operations need none. */
export interface Bounded extends Context {
  readonly bounds?: Bounds;
}

/** What the root fields of one request share. */
export class Bounds {
  readonly #accountId: number;
  readonly #isOpen: boolean;
  readonly #readsMuch: boolean;
  readonly #waiting: (() => void)[] = [];
  #free = atOnce;
  #records = 0;
  /** Why one of them failed. */
  #fault: { readonly error: unknown } | undefined;

  /**
   * @param isOpen whether nothing but this bounds how many records they resolve
   * @param readsMuch whether each has so much to read that it leaves the process to others meanwhile
   */
  constructor(accountId: number, isOpen: boolean, readsMuch: boolean) {
    this.#accountId = accountId;
    this.#isOpen = isOpen;
    this.#readsMuch = readsMuch;
  }

  /**
   * Does the work of a root field, once few enough others of the same request are at work. None of
   * them may be null, so one that fails leaves nothing to answer, and none begins after it: who is
   * told that a write failed need not ask which of those behind it did not.
   * @param work notes in `fetched` what it fetches, where it is counted
   * @throws what the work throws, or why another failed before; BAD_USER_INPUT when they have
   *   resolved too many records
   */
  async resolve<T>(work: (fetched?: Fetched[]) => T | Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      if (this.#readsMuch) await turnstile.pass(this.#accountId);
      if (this.#fault) throw this.#fault.error;
      const fetched: Fetched[] | undefined = this.#isOpen ? [] : undefined;
      const value = await work(fetched);
      for (const one of fetched ?? []) this.#records += recordsIn(value, one);
      if (this.#records > limits.records) throw tooManyRecords();
      return value;
    } catch (error) {
      this.#fault ??= { error };
      throw error;
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}

/** Has every root field keep within the bounds of its request, where it has some. */
export function boundWork(schema: GraphQLSchema): void {
  for (const type of [schema.getQueryType(), schema.getMutationType()]) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      const { resolve } = field;
      if (!resolve) throw new Error(`${field.name} has no resolver`);
      if (!isNonNullType(field.type)) throw new Error(`${field.name} may be null`);
      field.resolve = (root, given, context: Bounded, info) =>
        context.bounds
          ? context.bounds.resolve((fetched) => {
              const counted = fetched ? Object.assign(info, { fetched }) : info;
              return resolve(root, given, context, counted);
            })
          : resolve(root, given, context, info);
    }
  }
}
