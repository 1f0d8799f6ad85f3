/** The outcome of running a document, as it is sent to its watchers. */
import type { ApolloServer, GraphQLResponse } from '@apollo/server';
import type { FastifyBaseLogger, FastifyReply } from 'fastify';
import type { Context } from '../../context/context.ts';
import { codes, Fault } from '../../errors/errors.ts';
import { logError } from '../../http/errors.ts';
import { stringify } from '../apollo.ts';
import { faultAsError } from '../errors.ts';
import type { OperationContext } from '../operation.ts';
import type { Outcome } from './live_query.ts';
import type { SubscriptionRequest } from './subject.ts';

export interface Answer extends Outcome {
  /** Another than 200 where nothing was run. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The event that is sent for it. */
  readonly event: Buffer;
}

/** The last event of a subscription that has come to its end. */
export const complete = Buffer.from('event: complete\ndata:\n\n');

const passing: ReadonlySet<unknown> = new Set(['UNAVAILABLE', 'INTERNAL_SERVER_ERROR']);

/** Runs a document once, with all that is checked of one; never rejects. */
export async function run(
  apollo: ApolloServer<OperationContext>,
  request: SubscriptionRequest,
  context: Context,
  logOf: () => FastifyBaseLogger,
): Promise<Answer> {
  try {
    const contextValue = { context, isWatched: true };
    return await answerOf(await apollo.executeOperation(request, { contextValue }));
  } catch (error) {
    logError(logOf, error);
    const fault = new Fault('INTERNAL_SERVER_ERROR');
    const text = JSON.stringify({ errors: [faultAsError(fault)] });
    const { status } = codes[fault.code];
    return { text, event: eventOf(text), status, headers: {}, failure: 'passing' };
  }
}

async function answerOf({ http, body }: GraphQLResponse): Promise<Answer> {
  if (body.kind !== 'single') throw new Error('a subscription was answered in parts');
  const { singleResult } = body;
  const text = await stringify(singleResult);
  const status = http.status ?? 200;
  const answer = { text, event: eventOf(text), status, headers: Object.fromEntries(http.headers) };
  const [value] = Object.values(singleResult.data ?? {});
  if (value !== null && value !== undefined) return answer;
  const isPassing = singleResult.errors?.some(({ extensions }) => passing.has(extensions?.code));
  return { ...answer, failure: isPassing ? 'passing' : 'lasting' };
}

/** Line ends within JSON are those between the values of what clients stored. */
const eventOf = (text: string): Buffer =>
  Buffer.from(`event: next\ndata: ${text.replace(/[\r\n]+/g, ' ')}\n\n`);

/** Answers a request with what its document was refused for. */
export const refuse = (reply: FastifyReply, { status, headers, text }: Answer): FastifyReply =>
  reply.code(status).headers(headers).type('application/json; charset=utf-8').send(text);

/**
 * Whether HTTP refuses the request: to a token without a scope, or while the service is not there. What GraphQL
 * refuses is an answer like any other, since clients of the protocol take another status than 200 for a broken
 * network, and ask again.
 */
export const isRefused = ({ status }: Answer): boolean =>
  status !== 200 && status !== codes.BAD_USER_INPUT.status;
