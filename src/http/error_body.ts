/** The body of every error answer: plain, or as problem details (RFC 9457) for clients that ask for them. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  type Conflict,
  codes,
  type Fault,
  type FieldCodes,
  type FieldMessages,
  MergedContact,
} from '../errors/errors.ts';
import { addVary } from './headers/vary.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Where browsers reach the service; undefined where that is the host of the request. */
    publicUrl: string | undefined;
  }
}

interface ErrorBody {
  readonly error: string;
  readonly code: string;
  readonly errors: readonly string[];
  readonly fields?: FieldMessages;
  readonly codes?: FieldCodes;
  readonly conflict?: Conflict;
  readonly merged_into?: number;
  readonly request_id: string;
}

/** The text of the body for a fault. */
export function errorText(fault: Fault, requestId: string): string {
  const { summary, code } = codes[fault.code];
  const body: ErrorBody = {
    error: summary,
    code,
    errors: fault.messages,
    ...(fault.fields ? { fields: fault.fields } : {}),
    ...(fault.fieldCodes ? { codes: fault.fieldCodes } : {}),
    ...(fault.conflict ? { conflict: fault.conflict } : {}),
    ...(fault instanceof MergedContact ? { merged_into: fault.into } : {}),
    request_id: requestId,
  };
  return JSON.stringify(body);
}

export const problemType = 'application/problem+json';

/** The guide that has a paragraph for each code. */
export const errorsGuide = '/docs/errors';

/** Whether `Accept` names problem details, and does not refuse them by a weight of 0. */
function wantsProblem({ headers: { accept = '' } }: FastifyRequest): boolean {
  return accept
    .toLowerCase()
    .split(',')
    .some((range) => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
      return (
        type === problemType &&
        !parameters.some((one) => one.startsWith('q=') && Number(one.slice(2)) === 0)
      );
    });
}

/**
 * Sends the body of an error, in the form that the client wants. Problem details have the members of the body
 * beside their own.
 * @param text as {@link errorText} writes it
 */
export function sendError(request: FastifyRequest, reply: FastifyReply, text: string) {
  if (!wantsProblem(request)) return reply.type('application/json; charset=utf-8').send(text);
  const body: ErrorBody = JSON.parse(text);
  const origin = request.server.publicUrl ?? `https://${request.host}`;
  addVary(reply, 'accept');
  const problem = {
    type: `${origin}${errorsGuide}#${body.code}`,
    title: body.error,
    status: reply.statusCode,
    detail: body.errors.join('; '),
    instance: body.request_id,
    ...body,
  };
  // To a text Fastify would add a charset, which the type does not have.
  return reply.type(problemType).send(Buffer.from(JSON.stringify(problem)));
}
