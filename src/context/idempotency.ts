/** Requests that come with a key, so that they can be sent again and still are done once. */

import { Fault, invalid } from '../errors/errors.ts';
import type { Context } from './context.ts';

/** The header that a key comes in. */
export const keyHeader = 'Idempotency-Key';

/** A request that came with a key. */
export interface KeyedRequest {
  readonly key: string;
  /** All parts of the request that distinguish it from another. */
  readonly request: readonly (string | Uint8Array)[];
  /** Where the request does nothing but create one record, by one statement, and the record is the answer. */
  readonly created?: CreationHeaders;
}

/** Headers of an answer that shows the record that was created, and nothing else. */
export interface CreationHeaders {
  /** Those that do not depend on the record. */
  headers(): StoredAnswer['headers'];
  /**
   * Those that depend on it.
   * @param record the text that the answer shows
   */
  about(version: string, record: string): StoredAnswer['headers'];
}

/** An answer as it is sent. */
export interface StoredAnswer {
  readonly status: number;
  /** Those headers that belong to the answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** Empty where there is none. */
  readonly body: string;
}

/** An answer with the records whose values it shows, such as `contact:7`; `any` where that is not known. */
export interface AnswerWithSubjects extends StoredAnswer {
  readonly tellsOf: readonly string[];
}

/**
 * Answers a request that came with a key.
 * @param work does what the request asks for, in the context that it is given. It returns every answer that
 *   a retry should get as well, refusals among them, and throws what is worth another attempt: then nothing
 *   that it wrote is kept. It is called again when it lost a race.
 * @throws {Fault} VALIDATION_FAILED for a key that another request came with, CONFLICT while one
 *   with this key is at work, TOO_MANY_REQUESTS while the account's stored answers have no room for another, GONE when the answer has been erased, FORBIDDEN for callers who may
 *   do less than they could then
 */
export type AnswerOnce = (
  ctx: Context,
  request: KeyedRequest,
  work: (ctx: Context) => Promise<AnswerWithSubjects>,
) => Promise<StoredAnswer & { readonly isReplay: boolean }>;

/** A refusal of a key that came with another request. */
export const usedBefore = () => invalid(keyHeader, 'was sent with another request before');

/** A refusal of a key while another request with it is being answered. */
export const stillAtWork = () =>
  new Fault('CONFLICT', [`Another request with this ${keyHeader} is still at work`]);
