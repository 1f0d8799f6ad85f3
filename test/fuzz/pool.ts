/** What the fuzzed account is known to hold, so that requests can name what is there. */
import type { Random } from './random.ts';

export type Json = Readonly<Record<string, unknown>>;

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Records of one type that are left, or nothing could be done to any. */
const min = 3;

/** Removed records of one type, and requests, that are remembered. */
const mostPast = 100;

/** Records by the singular of their resource (`deal_product`), as they were seen last. */
export class Pool {
  /** Where webhooks and notifications may be sent. */
  readonly receiver: string;
  readonly #known = new Map<string, Map<number, Json>>();
  readonly #removed = new Map<string, Set<number>>();
  readonly #requests: string[] = [];
  readonly #foreign: ReadonlyMap<string, readonly number[]>;
  readonly #kept: ReadonlyMap<string, readonly number[]>;

  /**
   * @param foreign ids of another account's records
   * @param kept ids of the users who ask and of their tokens, which no request is to end
   * @param receiver the URL of what takes webhooks
   */
  constructor(
    foreign: ReadonlyMap<string, readonly number[]>,
    kept: ReadonlyMap<string, readonly number[]>,
    receiver: string,
  ) {
    this.#foreign = foreign;
    this.#kept = kept;
    this.receiver = receiver;
  }

  learn(type: string, record: unknown): void {
    if (!isJson(record) || typeof record.id !== 'number') return;
    if (this.#kept.get(type)?.includes(record.id)) return;
    const known = this.#known.get(type) ?? new Map<number, Json>();
    this.#known.set(type, known);
    const before = known.get(record.id);
    this.#removed.get(type)?.delete(record.id);
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

  /** Notes that a record was there, and is gone. */
  remove(type: string, id: number): void {
    this.forget(type, id);
    const removed = this.#removed.get(type) ?? new Set<number>();
    this.#removed.set(type, removed);
    removed.add(id);
    for (const first of removed) if (removed.size > mostPast) removed.delete(first);
  }

  /** Notes the id of a request that wrote something. */
  noteRequest(id: string): void {
    this.#requests.push(id);
    if (this.#requests.length > mostPast) this.#requests.shift();
  }

  /** The id of a request that wrote something, and of none while none has. */
  request(random: Random): string {
    return this.#requests.length > 0 ? random.pick(this.#requests) : 'none';
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

  /** The id of a record of this type that was removed, 0 when none was. */
  oneRemoved(random: Random, type: string): number {
    const ids = [...(this.#removed.get(type) ?? [])];
    return ids.length > 0 ? random.pick(ids) : 0;
  }

  /** The id that an operation takes: of a record that is there, or of one that is to come back. */
  subject(random: Random, operation: string, type: string): number {
    if (/^restore_/.test(operation)) return this.oneRemoved(random, type);
    if (!/^(delete|erase)_/.test(operation)) return this.one(random, type);
    const ids = this.ids(type);
    if (ids.length <= min) return 0;
    // What came last is least likely to hold others, which some must not when they go.
    return random.chance(0.3) ? Math.max(...ids) : this.one(random, type);
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
