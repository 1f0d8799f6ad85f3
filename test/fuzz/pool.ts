/** What the fuzzed account is known to hold, so that requests can name what is there. */
import type { Random } from './random.ts';

export type Json = Readonly<Record<string, unknown>>;

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Records by the singular of their resource (`deal_product`), as they were seen last. */
export class Pool {
  readonly #known = new Map<string, Map<number, Json>>();
  readonly #foreign: ReadonlyMap<string, readonly number[]>;
  readonly #kept: ReadonlyMap<string, readonly number[]>;

  /**
   * @param foreign ids of another account's records
   * @param kept ids of the users who ask and of their tokens, which no request is to end
   */
  constructor(
    foreign: ReadonlyMap<string, readonly number[]>,
    kept: ReadonlyMap<string, readonly number[]>,
  ) {
    this.#foreign = foreign;
    this.#kept = kept;
  }

  learn(type: string, record: unknown): void {
    if (!isJson(record) || typeof record.id !== 'number') return;
    if (this.#kept.get(type)?.includes(record.id)) return;
    const known = this.#known.get(type) ?? new Map<number, Json>();
    this.#known.set(type, known);
    const before = known.get(record.id);
    // What was seen last stands last.
    known.delete(record.id);
    known.set(record.id, { ...before, ...record });
    // Some records are shown beneath others alone.
    for (const [name, inner] of Object.entries(record)) {
      if (!Array.isArray(inner)) continue;
      for (const one of inner) this.learn(name.replace(/s$/, ''), one);
    }
  }

  forget(type: string, id: number): void {
    this.#known.get(type)?.delete(id);
  }

  /** Takes these for all that there is. */
  replace(type: string, records: readonly unknown[]): void {
    this.#known.delete(type);
    for (const record of records) this.learn(type, record);
  }

  knows(type: string): boolean {
    return this.#known.has(type);
  }

  ids(type: string): number[] {
    return [...(this.#known.get(type)?.keys() ?? [])];
  }

  record(type: string, id: number): Json | undefined {
    return this.#known.get(type)?.get(id);
  }

  /** An id of this type that the account has, 0 when it has none. */
  one(random: Random, type: string): number {
    const ids = this.ids(type);
    return ids.length > 0 ? random.pick(ids) : 0;
  }

  /** An id that a field of this name may hold; undefined for one that refers to nothing. */
  referred(random: Random, field: string): number | undefined {
    const type = /^(\w+)_id$/.exec(field)?.[1];
    return type !== undefined && this.#known.has(type) ? this.one(random, type) : undefined;
  }

  /** An id of the other account's, of any type when it has none of this one. */
  foreign(random: Random, type: string): number {
    const ids = this.#foreign.get(type) ?? [];
    return random.pick(ids.length > 0 ? ids : [...this.#foreign.values()].flat());
  }
}
