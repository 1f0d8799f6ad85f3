/** Routes that can be followed: what they tell, as Server-Sent Events. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import type { Answers } from '../http/answers.ts';
import { sendEvents, textOf } from '../http/event_stream.ts';
import { JsonText, stringifyJson } from '../json.ts';
import type { Call, Params } from './read.ts';

/** A change, which is told as its route shows it. */
export interface Told {
  readonly cursor: string;
  /** JSON, as is that after it. */
  readonly before: string | null;
  readonly after: string | null;
}

/** Tells changes as they come, from the arguments of the root field `changes` on. */
export type Follow = (
  ctx: Context,
  account: unknown,
  given: Readonly<Record<string, unknown>>,
) => AsyncGenerator<readonly Told[]>;

/** Answers with what a call tells from now on. */
export function followCall(
  request: FastifyRequest<{ Params: Params }>,
  reply: FastifyReply,
  {
    call,
    context,
    follow,
    answers,
  }: {
    readonly call: Call;
    readonly context: Context;
    readonly follow: Follow;
    readonly answers: Answers;
  },
): Promise<void> {
  const { 'last-event-id': last } = request.headers;
  // A browser that was cut off repeats the address that it had at first; one that got nothing has an empty id.
  const given = last ? { ...call.given, lastEventId: last } : call.given;
  const changes = follow(context, request.params.account_id, given);
  return sendEvents(request, reply, textsOf(changes), answers);
}

async function* textsOf(pages: AsyncGenerator<readonly Told[]>): AsyncGenerator<string> {
  for await (const page of pages) yield textOfPage(page);
}

/** Of pages that several are told: all of them get the same text. */
const known = new WeakMap<readonly Told[], string>();

function textOfPage(page: readonly Told[]): string {
  const text = known.get(page) ?? page.map(eventOf).join('');
  known.set(page, text);
  return text;
}

const eventOf = (told: Told): string =>
  textOf({
    id: told.cursor,
    data: stringifyJson({ ...told, before: asJson(told.before), after: asJson(told.after) }),
  });

const asJson = (text: string | null): JsonText | null =>
  text === null ? null : new JsonText(text);
