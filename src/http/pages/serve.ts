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

/**
 * Answers GET and HEAD requests for a URL with the same content for everyone; those who have it already get a 304.
 * @param onRequest decides who everyone is
 */
export function serve(
  server: FastifyInstance,
  url: string,
  headers: Readonly<Record<string, string>>,
  content: Buffer | string,
  { onRequest = [] }: { onRequest?: onRequestAsyncHookHandler | [] } = {},
): void {
  server.get(url, { onRequest }, sender(headers, content));
}

/** @returns what answers with the same content for everyone, as {@link serve} does */
export function sender(
  headers: Readonly<Record<string, string>>,
  content: Buffer | string,
): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  // Made once: a client that does not read it takes up no memory of its own.
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  // So are the compressed forms, when somebody first asks for them: asking again and again, without a token,
  // costs no compression.
  const forms = new Map<Encoding, Promise<Buffer>>();
  const tag = contentTag(bytes);
  return async (request, reply) => {
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
