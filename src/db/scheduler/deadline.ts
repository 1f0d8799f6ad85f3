/** How long a statement may take whose call has to be over at some moment. */
import { Fault } from '../../errors/errors.ts';

/** How much longer than PostgreSQL may take its answer is waited for: it crosses a network. */
export const networkMs = 1000;

/** A deadline that much earlier than the statement's own time limit is not worth a limit of its own. */
const slackMs = 100;

/** As much time as any statement may take. */
export const noDeadline = Number.POSITIVE_INFINITY;

/**
 * The milliseconds that are left until a moment on the clock of `performance`: 0 when it has come,
 * and {@link noDeadline} when they are as many as any statement may take.
 */
export type RemainingMs = (until: number) => number;

/** @param statementTimeoutMs after which PostgreSQL stops any statement */
export const remainingMs =
  (statementTimeoutMs: number): RemainingMs =>
  (until) => {
    const ms = until - performance.now();
    return ms >= statementTimeoutMs - slackMs ? noDeadline : Math.max(0, Math.ceil(ms));
  };

/**
 * How long to wait for the answer to a statement with so much time; undefined: as long as for any.
 * @param ms as {@link RemainingMs} has it
 */
export const answerMs = (ms: number): number | undefined =>
  ms === noDeadline ? undefined : ms + networkMs;

/** The refusal of a call that is not over in time. */
export const takesTooLong = () => new Fault('UNAVAILABLE', ['The request takes too long']);

/**
 * Waits for something until a moment and no longer.
 * @param tooLate what becomes of it when it comes later
 * @throws {Fault} UNAVAILABLE when the moment has come first
 */
export function withDeadline<T>(
  until: number,
  coming: Promise<T>,
  tooLate: (come: T) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(takesTooLong());
      coming.then(tooLate, () => undefined);
    }, until - performance.now()).unref();
    coming.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** A statement that gives the rest of its transaction a time limit. */
export const limitStatement = (ms: number): string => `SET LOCAL statement_timeout = ${ms}`;
