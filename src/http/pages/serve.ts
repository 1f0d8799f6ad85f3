import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestAsyncHookHandler,
} from 'fastify';
import { noRoute } from '../../errors/errors.ts';
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

/** Adds a file to a folder, by its path from there. */
export type AddFile = (
  path: string,
  headers: Readonly<Record<string, string>>,
  content: Content,
) => void;

/**
 * Answers for all files of a folder by one route, as {@link serve} does for one. With a route for each the files would
 * be two thirds of all routes, and adding those a tenth of a start.
 * @param folder a path with a slash at its end
 */
export function openFolder(server: FastifyInstance, folder: string): AddFile {
  const senders = new Map<string, Sender>();
  server.get<{ Params: { '*': string } }>(`${folder}*`, (request, reply) => {
    const send = senders.get(request.params['*']);
    if (!send) throw noRoute();
    return send(request, reply);
  });
  return (path, headers, content) => void senders.set(path, sender(headers, content));
}

type Sender = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** @returns what answers with the same content for everyone, as {@link serve} does */
export function sender(headers: Readonly<Record<string, string>>, content: Content): Sender {
  // Most of it is never asked for, by most processes.
  let prepared: ReturnType<typeof prepare> | undefined;
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
