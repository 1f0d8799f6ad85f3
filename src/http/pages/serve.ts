import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestAsyncHookHandler,
} from 'fastify';
import { Compressor, isWorthwhile, sendNotModified } from '../headers/compression.ts';
import { type Encoding, encodingFor } from '../headers/encoding.ts';
import { contentTag, encodedTag, isKnown } from '../headers/etag.ts';
import { addVary } from '../headers/vary.ts';

const compressor = new Compressor();

/** What is sent, or what makes it when somebody first asks for it. */
export type Content = Buffer | string | (() => string);

/** Made once: a client that does not read it takes up no memory of its own. */
function prepare(content: Content) {
  const body = typeof content === 'function' ? content() : content;
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return { bytes, tag: contentTag(bytes) };
}

/**
 * Answers GET and HEAD requests for a URL with the same content for everyone; those who have it already get a 304.
 * @param onRequest decides who everyone is
 */
export function serve(
  server: FastifyInstance,
  url: string,
  headers: Readonly<Record<string, string>>,
  content: Content,
  { onRequest = [] }: { onRequest?: onRequestAsyncHookHandler | [] } = {},
): void {
  server.get(url, { onRequest }, sender(headers, content));
}

/** @returns what answers with the same content for everyone, as {@link serve} does */
export function sender(
  headers: Readonly<Record<string, string>>,
  content: Content,
): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  let prepared = typeof content === 'function' ? undefined : prepare(content);
  // When somebody first asks for them: asking again and again, without a token, costs no compression.
  const forms = new Map<Encoding, Promise<Buffer>>();
  return async (request, reply) => {
    const { bytes, tag } = (prepared ??= prepare(content));
    reply.headers(headers);
    if (isKnown(request, tag)) return sendNotModified(request, reply, tag, bytes);
    reply.header('etag', tag);
    const accepted = request.headers['accept-encoding'];
    const encoding = isWorthwhile(bytes) ? encodingFor(accepted) : undefined;
    if (encoding === undefined) return reply.send(bytes);
    const form = forms.get(encoding) ?? compressor.whole(bytes, encoding);
    if (!form) return reply.send(bytes);
    forms.set(encoding, form);
    reply.headers({ 'content-encoding': encoding, etag: encodedTag(tag, encoding) });
    addVary(reply, 'accept-encoding');
    return reply.send(await form);
  };
}
