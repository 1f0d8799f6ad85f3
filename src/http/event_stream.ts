/** Answers that go on, as Server-Sent Events. */
import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { eventLoopQueue, shareToSend } from '../lib/event_loop_queue.ts';
import { logError } from './errors.ts';
import type { UnreadResponses } from './limits/unread_responses.ts';
import { logOf } from './request_log.ts';

/** One event. */
export interface Event {
  /** From where a client that was cut off goes on, in `Last-Event-ID`. */
  readonly id: string;
  /** JSON. */
  readonly data: string;
}

/** Says nothing. */
export const emptyText = ':\n\n';

/** Says from where a client that was cut off goes on, without an event. */
export const placeText = (id: string): string => `id: ${id}\n\n`;

/** How often a client hears that the connection is alive, in milliseconds. */
const beatMs = 15_000;

/** Bytes that are handed to a connection at once: few enough that a slow reader is seen to read. */
const part = 64 * 1024;

/** Whether a request wants events: its first choice, since a browser's `*` means whatever is usual. */
export const wantsEvents = ({ method, headers: { accept } }: FastifyRequest): boolean =>
  method === 'GET' &&
  accept?.split(',')[0]?.split(';')[0]?.trim().toLowerCase() === 'text/event-stream';

/**
 * Answers with events as they come, until they end or the client has gone. Many streams get the same text at
 * the same time, so each part waits for a turn of the event loop, which the account's streams share by bytes.
 * What a client does not read counts among its account's unread answers, and the next is only asked for when
 * it has been read.
 * @param texts of several events each, in the format of event streams; empty ones say nothing. Streams that are
 *   to get the same text are given the same buffer, which is then held once for those that have had no turn.
 * @param beat what says that the connection is alive
 * @throws what the first of them fails with; later ones end the stream, and its client asks again
 */
export async function sendEvents(
  request: FastifyRequest,
  reply: FastifyReply,
  texts: AsyncGenerator<Buffer>,
  answers: UnreadResponses,
  beat: () => string = () => emptyText,
): Promise<void> {
  const first = await texts.next();
  reply.header('content-type', 'text/event-stream; charset=utf-8');
  // Proxies that collect answers would hold events back.
  reply.header('x-accel-buffering', 'no');
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, reply.getHeaders() as Record<string, string>);
  raw.flushHeaders();
  let isWriting = false;
  const beats = setInterval(() => {
    if (!isWriting && raw.writableLength === 0) raw.write(beat());
  }, beatMs).unref();
  try {
    for (let next = first; !next.done && !raw.destroyed; next = await texts.next()) {
      if (next.value.length === 0) continue;
      isWriting = true;
      await write(raw, next.value, request, answers);
      isWriting = false;
    }
  } catch (error) {
    logError(() => logOf(request), error);
  } finally {
    clearInterval(beats);
    raw.end();
    await texts.return(undefined);
  }
}

/** What streams wait to send, of which those that were the first to wait hold the bytes. */
const waitingToSend = new Set<Buffer>();

/** Resolves when the client has read it, or has gone. */
async function write(
  raw: ServerResponse,
  bytes: Buffer,
  { viewer }: FastifyRequest,
  answers: UnreadResponses,
): Promise<void> {
  const hold = () => answers.hold(raw, viewer?.accountId, bytes.length);
  const isFirst = !waitingToSend.has(bytes);
  waitingToSend.add(bytes);
  let lease = isFirst ? hold() : undefined;
  for (let at = 0; at < bytes.length && !raw.destroyed; at += part) {
    const chunk = bytes.subarray(at, at + part);
    await eventLoopQueue.waitForTurn(viewer?.accountId ?? 0, shareToSend(chunk.length));
    if (isFirst) waitingToSend.delete(bytes);
    if (raw.destroyed) break;
    lease ??= hold();
    await new Promise<void>((resolve) => {
      raw.once('close', resolve);
      raw.write(chunk, () => {
        raw.off('close', resolve);
        resolve();
      });
    });
    lease.take();
  }
  lease?.free();
}

/** Events as a stream has them. A line of data may be broken where JSON may be. */
export const textOf = ({ id, data }: Event): string =>
  `id: ${id}\ndata: ${data.replaceAll(/\r\n|\r|\n/g, '\ndata: ')}\n\n`;
