/** Routes that can be followed, as Server-Sent Events. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context/context.ts';
import { emptyText, placeText, sendEvents, textOf } from '../http/event_stream.ts';
import type { UnreadResponses } from '../http/limits/unread_responses.ts';
import { JsonText, stringifyJson } from '../json/json.ts';
import type { Params, RouteCall } from './request.ts';

/** A change, in the form in which its route shows it. */
export interface FeedEvent {
  readonly cursor: string;
  /** JSON, as is that after it. */
  readonly before: string | null;
  readonly after: string | null;
  /** True where a record came back, and left out otherwise. */
  readonly restored?: boolean | null;
}

/** Changes that are sent together, possibly none. */
export interface FeedPage {
  readonly data: readonly FeedEvent[];
  /** @returns the cursor from which on to read once these are known */
  next(): string;
}

/** Yields changes as they come, as the arguments of the root field `changes` ask for. */
export type Follow = (
  ctx: Context,
  account: unknown,
  args: Readonly<Record<string, unknown>>,
) => AsyncGenerator<FeedPage>;

/** Answers with the changes that a call asks for, as they come. */
export function followCall(
  request: FastifyRequest<{ Params: Params }>,
  reply: FastifyReply,
  {
    call,
    context,
    follow,
    answers,
  }: {
    readonly call: RouteCall;
    readonly context: Context;
    readonly follow: Follow;
    readonly answers: UnreadResponses;
  },
): Promise<void> {
  const { 'last-event-id': last } = request.headers;
  // A browser that was cut off repeats the address that it had at first; one that got nothing has
  // an empty id.
  const args = last ? { ...call.args, lastEventId: last } : call.args;
  const changes = follow(context, request.params.account_id, args);
  const place = new ResumePoint();
  return sendEvents(request, reply, place.texts(changes), answers, () => place.beat());
}

/**
 * Where a client that is cut off goes on. It knows from the id of the last change. Before the first one, and
 * while only records change that it did not ask for, it knows from blocks with nothing but an id, which are
 * not events.
 */
export class ResumePoint {
  #next: (() => string) | undefined;

  async *texts(pages: AsyncGenerator<FeedPage>): AsyncGenerator<Buffer> {
    for await (const { data, next } of pages) {
      const isFirst = this.#next === undefined;
      yield data.length > 0 || !isFirst ? textOfPage(data) : Buffer.from(placeText(next()));
      this.#next = next;
    }
  }

  beat(): string {
    return this.#next ? placeText(this.#next()) : emptyText;
  }
}

/** The texts of pages that several clients get. */
const known = new WeakMap<readonly FeedEvent[], Buffer>();

function textOfPage(page: readonly FeedEvent[]): Buffer {
  const text = known.get(page) ?? Buffer.from(page.map(eventOf).join(''));
  known.set(page, text);
  return text;
}

const eventOf = ({ restored, ...event }: FeedEvent): string =>
  textOf({
    id: event.cursor,
    data: stringifyJson({
      ...{ ...event, before: asJson(event.before), after: asJson(event.after) },
      ...(restored && { restored }),
    }),
  });

const asJson = (text: string | null): JsonText | null =>
  text === null ? null : new JsonText(text);
