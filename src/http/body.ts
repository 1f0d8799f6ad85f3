/** Request bodies: JSON objects, read without loss, and unpacked first where they come as gzip. */
import { gunzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { coded } from '../errors/codes.ts';
import { Fault, invalid, notJson, tooLarge } from '../errors/errors.ts';
import { Excess, hasMoreValues, isJsonObject, parseJson, parseLongJson } from '../json/json.ts';
import { ConcurrencyLimit } from '../lib/concurrency_limit.ts';
import { eventLoopQueue } from '../lib/event_loop_queue.ts';
import { hasCode } from '../lib/process_lock.ts';
import { sentKey } from './headers/idempotency_key.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route takes a body; otherwise it is ignored. */
    readonly takesBody?: boolean;
    /** Whether the body is one record, rather than a search or a document with its variables. */
    readonly takesRecord?: boolean;
  }
}

// Bytes that are not UTF-8 are refused: replacing them would store something that was not sent.
const utf8 = new TextDecoder('utf-8', { fatal: true });
/** For all parts of a text but the first: there, a byte order mark is a character. */
const furtherUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * How many values a body may hold, where objects and lists count beside what is in them. A search may have a hundred
 * conditions with a thousand values each.
 */
const maxValues = { record: 50_000, search: 150_000 } as const;

/** From this many bytes on, parsing a body keeps the process busy for a millisecond. */
const worthWaiting = 64 * 1024;

/**
 * Bytes that are decoded in one turn of the event loop. What is longer is parsed in turns of its own, too; a
 * shorter body is read in one, since each is one more that it waits for.
 */
const slice = 256 * 1024;

/** At most eight long bodies are unpacked and read at once, and one of each account. */
const longBodies = new ConcurrencyLimit<number>(8, undefined, 1);

/** Waits for the next turn of the event loop in which a long body is read; a short one is read in one go. */
type Turn = (() => Promise<void>) | undefined;

async function decode(bytes: Buffer, turn: Turn): Promise<string> {
  if (!turn) return utf8.decode(bytes);
  let text = '';
  for (let at = 0, end = 0; at < bytes.length; at = end) {
    end = Math.min(at + slice, bytes.length);
    // A character of several bytes has three at most behind its first.
    for (let back = 0; back < 3 && isWithin(bytes[end]); back += 1) end -= 1;
    text += (at === 0 ? utf8 : furtherUtf8).decode(bytes.subarray(at, end));
    await turn();
  }
  return text;
}

/** Whether a byte is one of a character that began before it. */
const isWithin = (byte: number | undefined): boolean =>
  byte !== undefined && byte >= 0x80 && byte < 0xc0;

/**
 * @throws {Fault} MALFORMED_JSON for malformed JSON, VALIDATION_FAILED for JSON that is nested too
 *   deeply or holds too many values
 */
async function readBody(bytes: Buffer, what: keyof typeof maxValues, turn: Turn): Promise<unknown> {
  if (bytes.length === 0) return undefined;
  let text = '';
  try {
    const max = maxValues[what];
    // A value and what parts it from the next are two bytes.
    if (bytes.length > max * 2) {
      if (hasMoreValues(bytes, max)) {
        throw new Excess(`has more than ${max.toLocaleString('en')} values`);
      }
      await turn?.();
    }
    text = await decode(bytes, turn);
    return turn ? await parseLongJson(text, turn) : parseJson(text);
  } catch (error) {
    if (error instanceof Excess) {
      throw invalid('body', coded('too_large', error.message));
    }
    throw new Fault('MALFORMED_JSON', [
      `The request body is not valid JSON${placeOf(error, text)}`,
    ]);
  }
}

/** Where a text stops being JSON, as far as the parser's error says; the end of a sentence. */
function placeOf(error: unknown, text: string): string {
  if (!(error instanceof SyntaxError)) return ': it is not UTF-8';
  if (/^Unexpected end/.test(error.message)) return ': it ends too early';
  const [, at] = /at position (\d+)/.exec(error.message) ?? [];
  if (at === undefined) return '';
  const before = text.slice(0, Number(at));
  let line = 1;
  for (let end = before.indexOf('\n'); end >= 0; end = before.indexOf('\n', end + 1)) line += 1;
  return ` from line ${line}, column ${before.length - before.lastIndexOf('\n')}`;
}

/** A body is encoded in a way that the service does not read; the answer has to say which it does. */
export class UnknownEncoding extends Fault {
  static readonly known = 'gzip';

  constructor() {
    super('UNSUPPORTED_MEDIA_TYPE', ['Content-Encoding must be gzip, or left out']);
  }
}

/**
 * Whether a body is packed.
 * @param encoding its `Content-Encoding`
 * @throws {UnknownEncoding} also for one that is packed twice, as only bombs are
 */
export function isCompressed(encoding: string | undefined): boolean {
  if (encoding === undefined) return false;
  const name = encoding.trim().toLowerCase();
  if (name === 'gzip' || name === 'x-gzip') return true;
  if (name === 'identity') return false;
  throw new UnknownEncoding();
}

/**
 * The bytes of a packed body. A megabyte keeps the process busy for two milliseconds.
 * @param max bytes of them; unpacking ends there, however many more there would be
 * @throws {Fault} PAYLOAD_TOO_LARGE; BAD_USER_INPUT for what is not gzip, or not all of it
 */
export function decompress(bytes: Buffer, max: number): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: max });
  } catch (error) {
    const isTooLarge = hasCode(error, 'ERR_BUFFER_TOO_LARGE');
    throw isTooLarge
      ? tooLarge(max)
      : new Fault('BAD_USER_INPUT', ['The request body is not valid gzip']);
  }
}

/** What a body calls itself that is a merge patch (RFC 7396). */
export const mergePatch = 'application/merge-patch+json';

/** Whether that of a PATCH does; others cannot. */
export const isMergePatch = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean =>
  headers['content-type']?.toLowerCase().startsWith(mergePatch) ?? false;

/**
 * The body as an object; an empty one counts as `{}`.
 * @throws {Fault} VALIDATION_FAILED for any other JSON
 */
export function bodyObject(body: unknown): Readonly<Record<string, unknown>> {
  if (body === undefined) return {};
  if (isJsonObject(body)) return body;
  throw invalid('body', 'must be an object');
}

/** Accepts JSON only, whatever the charset parameter says: JSON is UTF-8 (RFC 8259). */
export function takeJson(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  const options = { parseAs: 'buffer' } as const;
  const parse = async (request: FastifyRequest, bytes: Buffer) => {
    const { takesBody, takesRecord } = request.routeOptions.config;
    if (!takesBody) return undefined;
    const isPackedBody = isCompressed(request.headers['content-encoding']) && bytes.length > 0;
    const what = takesRecord ? 'record' : 'search';
    const readNow = (turn?: Turn) => {
      const json = isPackedBody ? decompress(bytes, request.routeOptions.bodyLimit) : bytes;
      if (sentKey(request) !== undefined) request.sentBytes = json;
      return readBody(json, what, json.length > slice ? turn : undefined);
    };
    // Packed ones cost their senders next to nothing.
    if (!isPackedBody && bytes.length <= worthWaiting) return readNow();
    const account = request.viewer?.accountId ?? 0;
    const turn = () => eventLoopQueue.waitForTurn(account);
    return longBodies.run(account, () => turn().then(() => readNow(turn)));
  };
  const refuse = async (request: FastifyRequest, bytes: Buffer) => {
    if (request.routeOptions.config.takesBody && bytes.length > 0) throw notJson();
    return undefined;
  };
  server.addContentTypeParser('application/json', options, parse);
  server.addContentTypeParser(mergePatch, options, (request: FastifyRequest, bytes: Buffer) =>
    request.method === 'PATCH' ? parse(request, bytes) : refuse(request, bytes),
  );
  server.addContentTypeParser('*', options, refuse);
}
