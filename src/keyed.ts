/** Requests that come with a key, so that they can be sent again and are done once. */
import type { Context } from './context.ts';
import { invalid } from './errors.ts';

/** The header that a key comes in. */
export const keyHeader = 'Idempotency-Key';

/** A request that came with a key. */
export interface Keyed {
  readonly key: string;
  /** All of it that makes another request of one. */
  readonly request: readonly (string | Uint8Array)[];
  /** Where all that comes of it is one record, created by one statement, whose text is the answer. */
  readonly created?: Created;
}

/** Headers of an answer that shows the record that was created, and nothing else. */
export interface Created {
  /** Those that do not depend on the record. */
  headers(): Told['headers'];
  /** Those that tell its version. */
  versioned(version: string): Told['headers'];
}

/** An answer as it is sent. */
export interface Told {
  readonly status: number;
  /** Those headers that belong to the answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** Empty where there is none. */
  readonly body: string;
}

/** An answer with the records whose values it shows, such as `contact:7`; `any` where it does not say of which. */
export interface Telling extends Told {
  readonly tellsOf: readonly string[];
}

/**
 * Answers a request that came with a key.
 * @param work does what the request asks for, in the context that it is given. It returns every answer that
 *   the same request would get again, refusals among them, and throws what is worth another attempt: then
 *   nothing that it wrote is kept. It is called again when it lost a race.
 * @throws {Fault} VALIDATION_FAILED for a key that another request came with, CONFLICT while one with this
 *   key is at work, GONE when the answer was to be forgotten, FORBIDDEN for who may less than they did then
 */
export type AnswerOnce = (
  ctx: Context,
  asked: Keyed,
  work: (ctx: Context) => Promise<Telling>,
) => Promise<Told & { readonly isReplay: boolean }>;

/** A refusal of a key that came with another request. */
export const usedBefore = () => invalid(keyHeader, 'was sent with another request before');
