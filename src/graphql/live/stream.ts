/**
 * `POST /graphql/stream`: subscriptions as GraphQL over SSE has them (in its distinct connections mode,
 * https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md). Its events are written here because an
 * answer is serialised once for all watchers, without rounding numbers, and slow readers skip answers.
 */
import type { ApolloServer } from '@apollo/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { rightsOf } from '../../auth/viewer.ts';
import type { Context, ParkedRequest } from '../../context/context.ts';
import { sendEvents } from '../../http/event_stream.ts';
import type { UnreadResponses } from '../../http/limits/unread_responses.ts';
import { logOf } from '../../http/request_log.ts';
import { stringifyJson } from '../../json/json.ts';
import type { OperationContext } from '../operation.ts';
import { type Answer, complete, isRefused, refuse, run } from './answer.ts';
import { followChanges } from './follow.ts';
import { Latest } from './latest.ts';
import { LiveQuery } from './live_query.ts';
import { isAbout, readSubscription } from './subject.ts';

export interface LiveOptions {
  /** The context of one run of a query, for the request of a watcher. */
  readonly watchingContextOf: (request: FastifyRequest) => Context;
  readonly answers: UnreadResponses;
}

/** @returns the handler of the route */
export function streamHandler(
  apollo: ApolloServer<OperationContext>,
  { watchingContextOf, answers }: LiveOptions,
): (request: FastifyRequest, reply: FastifyReply) => Promise<unknown> {
  const queries = new Map<string, LiveQuery<Answer>>();
  return async (request, reply) => {
    const subscription = readSubscription(request.body);
    const context = watchingContextOf(request);
    const { accountId } = context.viewer;
    const key = stringifyJson([accountId, rightsOf(context.viewer), subscription]);
    if (isAbout(subscription, 'changes')) {
      const opened = await followChanges(context, key, (ctx) =>
        run(apollo, subscription, ctx, () => logOf(request)),
      );
      if ('refused' in opened) return refuse(reply, opened.refused);
      await sendEvents(request, reply, opened.events, answers);
      return reply;
    }
    const live =
      queries.get(key) ?? new LiveQuery<Answer>((heard) => context.watch.listen(accountId, heard));
    queries.set(key, live);
    const latest = new Latest<Answer>();
    const watcher = {
      run: async () => {
        const answer = await run(apollo, subscription, watchingContextOf(request), () =>
          logOf(request),
        );
        request.budget?.end();
        return answer;
      },
      notify: (answer: Answer) => latest.set(answer),
    };
    live.join(watcher);
    try {
      const first = await latest.next();
      if (isRefused(first)) return refuse(reply, first);
      await sendEvents(request, reply, eventsOf(first, latest, context.hold), answers);
      return reply;
    } finally {
      live.leave(watcher);
      if (!live.isWatched && queries.get(key) === live) queries.delete(key);
    }
  };
}

/** The events of a subscription, until the answer need not be held back any more or there is no data. */
async function* eventsOf(
  first: Answer,
  latest: Latest<Answer>,
  hold: () => ParkedRequest,
): AsyncGenerator<Buffer> {
  const { signal, end } = hold();
  try {
    for (let now: Answer | undefined = first; now; now = await latest.next(signal)) {
      yield now.event;
      if (!now.failure) continue;
      yield complete;
      return;
    }
  } finally {
    end();
  }
}
