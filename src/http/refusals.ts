/** The log of requests that were refused through no mistake of their client. */
import type { FastifyBaseLogger } from 'fastify';
import { Fault } from '../errors/errors.ts';

/** How long those that follow one for the same reason are only counted, in milliseconds. */
const countingMs = 1000;

/** How many have followed, by reason. */
const counting = new Map<string, number>();

/**
 * Logs a refusal in a line, without a stack: it matters that the database is down, say, and not where in the
 * code. Of several for one reason within a second the first is logged, and the others are counted.
 */
export function logRefusal(log: Pick<FastifyBaseLogger, 'warn'>, why: Error): void {
  const value: unknown = why instanceof Fault ? undefined : Reflect.get(why, 'code');
  const code = typeof value === 'string' ? value : undefined;
  const reason = why.message;
  // The messages of one code may differ by a port, or by a process.
  const kind = code ?? reason;
  const others = counting.get(kind);
  if (others !== undefined) return void counting.set(kind, others + 1);
  counting.set(kind, 0);
  log.warn({ code, reason }, 'request refused');
  setTimeout(() => {
    const requests = counting.get(kind);
    counting.delete(kind);
    if (requests) log.warn({ code, reason, requests }, 'more requests refused');
  }, countingMs).unref();
}
