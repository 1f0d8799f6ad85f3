/** Mutations that come with an `Idempotency-Key`. */
import { type GraphQLRequestContext, type GraphQLResponse, HeaderMap } from '@apollo/server';
import type { FormattedExecutionResult, GraphQLFormattedError } from 'graphql';
import type { Context } from '../context/context.ts';
import { type AnswerOnce, keyHeader } from '../context/idempotency.ts';
import { codes, invalid, isFinal } from '../errors/errors.ts';
import { requireKey } from '../http/headers/idempotency_key.ts';
import { stringifyJson } from '../json/json.ts';
import { eventLoopQueue } from '../lib/event_loop_queue.ts';
import type { OperationContext } from './operation.ts';
import { recordIdsIn } from './record_ids.ts';

/** The answer to one document. */
export interface Single extends GraphQLResponse {
  readonly body: { readonly kind: 'single'; readonly singleResult: FormattedExecutionResult };
}

/** Bytes that an answer may have to be kept: a short document can ask for any number of them. */
const maxBytes = 1024 * 1024;

const tooLarge =
  'cannot keep an answer of more than 1 MiB: ask for less of it, or send no key. Nothing was written, unless by a batch that is not atomic';

/** Something that a mutation met may be over the next time; what else it did is undone. */
class TransientFailure extends Error {
  readonly response: Single;

  constructor(response: Single) {
    super('a mutation is worth another attempt');
    this.response = response;
  }
}

/** Texts of answers, by what stands in the place of their data. */
const texts = new WeakMap<object, string>();

/** The text of an answer that was written already. */
export const writtenText = ({ data }: FormattedExecutionResult): string | undefined =>
  data ? texts.get(data) : undefined;

interface KeyedMutation {
  /** The key as it came. */
  readonly key: string;
  readonly once: AnswerOnce;
  readonly run: (context: Context) => Promise<Single>;
  readonly write: (result: FormattedExecutionResult) => string | Promise<string>;
}

/**
 * Answers a mutation, or repeats the answer that it got before. Where one of its fields fails for a reason
 * that may pass, none of them is done, so that all can be sent again with the same key.
 * @throws {Fault} as {@link AnswerOnce} does; VALIDATION_FAILED for an invalid key, and for an answer that is
 *   too large to be kept, in which case what was written is undone
 */
export async function answerKeyed(
  requestContext: Pick<
    GraphQLRequestContext<OperationContext>,
    'document' | 'queryHash' | 'request'
  >,
  context: Context,
  { key: header, once, run, write }: KeyedMutation,
): Promise<Single> {
  const { document, queryHash = '', request } = requestContext;
  const { operationName = '', variables = {} } = request;
  const keyed = {
    key: requireKey(header),
    request: ['GraphQL', queryHash, operationName, stringifyJson(variables)],
  };
  try {
    const answer = await once(context, keyed, async (ctx) => {
      const response = await run(ctx);
      const { errors, data } = response.body.singleResult;
      if (errors?.some(isTransient)) throw new TransientFailure(response);
      // Errors come first, as Apollo has them.
      const body = await write({ ...(errors && { errors }), ...(data !== undefined && { data }) });
      if (await isTooLarge(body, ctx)) throw invalid(keyHeader, tooLarge);
      return {
        status: response.http.status ?? 200,
        headers: {},
        body,
        tellsOf: document ? recordIdsIn(document, operationName || undefined)(data) : [],
      };
    });
    const headers = new HeaderMap();
    if (answer.isReplay) headers.set('idempotent-replayed', 'true');
    const data = {};
    texts.set(data, answer.body);
    return single({ status: answer.status, headers }, { data });
  } catch (error) {
    if (!(error instanceof TransientFailure)) throw error;
    const { http, body } = error.response;
    const { data, errors = [] } = body.singleResult;
    return data ? single(http, { errors: errors.filter(isTransient), data: null }) : error.response;
  }
}

/** Whether an answer has too many bytes. To count those of a long text takes milliseconds. */
async function isTooLarge(body: string, { viewer }: Context): Promise<boolean> {
  if (body.length > maxBytes) return true;
  // No character of UTF-16 has more than three bytes in UTF-8.
  if (body.length * 3 <= maxBytes) return false;
  await eventLoopQueue.waitForTurn(viewer.accountId);
  return Buffer.byteLength(body) > maxBytes;
}

const single = (http: Single['http'], singleResult: FormattedExecutionResult): Single => ({
  http,
  body: { kind: 'single', singleResult },
});

const isCode = (code: unknown): code is keyof typeof codes =>
  typeof code === 'string' && code in codes;

/** Whether the same mutation may not meet this error the next time. */
const isTransient = ({ extensions }: GraphQLFormattedError): boolean =>
  isCode(extensions?.code) && !isFinal(extensions.code);
