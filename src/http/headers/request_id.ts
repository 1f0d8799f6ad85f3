import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Ids that a client may choose: short, and harmless in a log and a header. */
const saneId = /^[\w.:-]{1,128}$/;

/** The id of a request in answers and in the log: the client's own if it is sane. */
export function requestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const header = headers['x-request-id'];
  return typeof header === 'string' && saneId.test(header) ? header : randomUUID();
}
