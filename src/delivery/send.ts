/** One attempt: a POST, and what is kept of its answer. */
import { type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import type { Socket } from 'node:net';
import { Intake, maxReceived, ResponseTooLong } from './intake.ts';
import type { Receivers } from './receivers.ts';
import { type SignatureInput, signatureOf } from './signature.ts';

/** How long an attempt may take, for everything: the name, the connection, the answer. */
export const limitMs = 10_000;
/** Bytes of an answer that are kept. */
const maxKept = 2 * 1024;

export interface Message extends SignatureInput {
  readonly url: string;
  readonly body: string;
  /** What operators are told of it. */
  readonly about?: About;
  /** Of this attempt, by W3C Trace Context; undefined where nothing is recorded. */
  readonly traceparent?: string | undefined;
}

/** Of a delivery: neither its receiver, whose URL may hold a secret, nor what is sent. */
export interface About {
  readonly id: number;
  readonly event: string;
  readonly accountId: number;
  readonly webhookId: number;
  /** Those that were made before. */
  readonly attempts: number;
  /** When it was made, and when the change was, as timestamps of the database. */
  readonly created_at: string;
  readonly changed_at?: string;
  /** The span that made the change, as W3C Trace Context has it; null where none was recorded. */
  readonly traceparent?: string | null;
}

export interface Outcome {
  /** Null when there was no answer. */
  readonly status: number | null;
  readonly answer: string | null;
  /** Why it failed; null when it did not. */
  readonly error: string | null;
  readonly duration_ms: number;
}

/** An outcome, and for how many milliseconds the receiver should then be left alone. */
export interface Attempt {
  readonly outcome: Outcome;
  readonly restMs: number;
}

/** What is posted to a receiver. */
export interface Posting {
  readonly url: string;
  readonly body: string | Uint8Array;
  readonly headers: () => Readonly<Record<string, string>>;
}

/** Sends a message to a webhook, see {@link post}. */
export const send = (
  receivers: Receivers,
  { url, body, about: _, traceparent, ...signed }: Message,
  stopping: AbortSignal,
): Promise<Attempt | undefined> =>
  post(
    receivers,
    {
      url,
      body,
      headers: () => ({
        'content-type': 'application/json; charset=utf-8',
        'user-agent': 'sales-crm-webhooks',
        ...(traceparent !== undefined && { traceparent }),
        ...signatureOf(signed, body, new Date()),
      }),
    },
    stopping,
  );

/**
 * Posts to a receiver. Redirects are not followed: they may lead anywhere.
 * @param stopping aborts it
 * @returns what came of it; undefined when it was aborted
 */
export async function post(
  receivers: Receivers,
  posting: Posting,
  stopping: AbortSignal,
): Promise<Attempt | undefined> {
  const begun = performance.now();
  const time = AbortSignal.timeout(limitMs);
  const duration = () => Math.round(performance.now() - begun);
  let intake: Intake | undefined;
  const limit = (socket: Socket) => {
    intake = Intake.limit(socket);
  };
  const end = (outcome: Omit<Outcome, 'duration_ms'>): Attempt => ({
    outcome: { ...outcome, duration_ms: duration() },
    restMs: intake?.restMs ?? 0,
  });
  try {
    const answer = await ask(receivers, posting, AbortSignal.any([time, stopping]), limit);
    return end({ ...answer, error: judge(answer.status) });
  } catch (error) {
    if (stopping.aborted) return undefined;
    const reason = time.aborted
      ? `no whole answer within ${limitMs / 1000} seconds`
      : reasonOf(error);
    return end({ status: null, answer: null, error: reason.slice(0, 255) });
  }
}

function judge(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  const isRedirect = status >= 300 && status < 400;
  return `answered ${status}${isRedirect ? ': redirects are not followed' : ''}`;
}

/** What the webhook's admins may know: nothing about the network that the service is in. */
function reasonOf(error: unknown): string {
  const { message, code } = Object(error);
  return String(code ?? message);
}

function ask(
  receivers: Receivers,
  { url: address, body, headers }: Posting,
  signal: AbortSignal,
  limit: (socket: Socket) => void,
): Promise<{ readonly status: number; readonly answer: string }> {
  const url = new URL(address);
  const agent = receivers.agent(url);
  const request = url.protocol === 'https:' ? requestTls : requestPlain;
  return new Promise((resolve, reject) => {
    const options = {
      method: 'POST',
      agent,
      signal,
      headers: {
        'content-length': Buffer.byteLength(body),
        ...(!receivers.keeps(agent) && { connection: 'close' }),
        ...headers(),
      },
    };
    let isAnswered = false;
    request(url, options, (response) => {
      isAnswered = true;
      read(response).then(
        (answer) => resolve({ status: response.statusCode ?? 0, answer }),
        reject,
      );
    })
      .on('socket', limit)
      .on('error', (error) => {
        // Once there is a status it counts, however much comes after it.
        if (!(isAnswered && error instanceof ResponseTooLong)) reject(error);
      })
      .end(body);
  });
}

/** The beginning of an answer, as a text that can be stored. */
async function read(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  const { socket } = response;
  let bytes = 0;
  try {
    for await (const chunk of response) {
      const part = Buffer.from(chunk);
      if (bytes < maxKept) chunks.push(part.subarray(0, maxKept - bytes));
      bytes += part.length;
      // Leaving the loop ends the connection.
      if (bytes > maxReceived) break;
    }
  } catch (error) {
    if (!(socket.errored instanceof ResponseTooLong)) throw error;
  }
  return Buffer.concat(chunks).toString().replaceAll('\0', '\ufffd');
}
