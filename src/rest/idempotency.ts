/** Writes that come with an `Idempotency-Key`. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context/context.ts';
import type { AnswerOnce, AnswerWithSubjects, KeyedRequest } from '../context/idempotency.ts';
import { codes, Fault, isFinal } from '../errors/errors.ts';
import { errorText } from '../http/error_body.ts';
import { headersToKeep, sendStoredAnswer } from '../http/headers/idempotency_key.ts';

/** The outcome of a write: its answer, as it is sent, and the records whose values that shows. */
export type Write = (context: Context) => Promise<Omit<AnswerWithSubjects, 'headers'>>;

/**
 * Answers a write, or repeats the answer that it got before.
 * @param keyed the key, and the rest of the request that is answered
 */
export async function answerKeyed(
  request: FastifyRequest,
  reply: FastifyReply,
  keyed: KeyedRequest,
  context: Context,
  once: AnswerOnce,
  write: Write,
): Promise<FastifyReply> {
  let refusal: Fault | undefined;
  const answer = await once(context, keyed, async (ctx) => {
    refusal = undefined;
    try {
      const answer = await write(ctx);
      return { ...answer, headers: headersToKeep(reply) };
    } catch (error) {
      if (!(error instanceof Fault) || !isFinal(error.code)) throw error;
      refusal = error;
      // An attempt before may have named a record that was undone with it.
      reply.removeHeader('etag').removeHeader('location');
      const { status } = codes[error.code];
      const body = errorText(error, request.id);
      return { status, headers: headersToKeep(reply), body, tellsOf: [] };
    }
  });
  if (refusal && !answer.isReplay) throw refusal;
  return sendStoredAnswer(request, reply, answer);
}
