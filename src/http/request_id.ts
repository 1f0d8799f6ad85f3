import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Ids that a client may give a request: short, and harmless in a log and in a header. */
const saneId = /^[\w.:-]{1,128}$/;

/** The id of a request in answers and in the log: the client's own, where it gave a sane one. */
export function requestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && saneId.test(given) ? given : randomUUID();
}
