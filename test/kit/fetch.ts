import { request } from 'node:https';
import { Readable } from 'node:stream';
import type { Service } from './service.ts';

export interface Fetched {
  readonly method: string;
  readonly path: string;
  readonly status: number;
}

/**
 * A `fetch` that takes the certificate of the tests, for other people's clients.
 * @param token sent with each request that has none
 * @param noted receives what was asked
 */
export const fetchFrom =
  ({ url: origin }: Pick<Service, 'url'>, token?: string, noted: Fetched[] = []): typeof fetch =>
  async (input, init = {}) => {
    const asked = new Request(new URL(input instanceof Request ? input.url : input, origin), init);
    const headers = Object.fromEntries(asked.headers);
    const body = asked.body ? Buffer.from(await asked.arrayBuffer()) : undefined;
    return new Promise((resolve, reject) => {
      const sent = request(asked.url, {
        method: asked.method,
        headers: { ...(token && { authorization: `Bearer ${token}` }), ...headers },
        rejectUnauthorized: false,
        agent: false,
        ...(init.signal ? { signal: init.signal } : {}),
      });
      sent.on('response', (response) => {
        response.on('error', () => undefined);
        const { statusCode: status = 0 } = response;
        const { pathname, search } = new URL(asked.url);
        noted.push({ method: asked.method, path: `${pathname}${search}`, status });
        const stream = [204, 304].includes(status) ? null : Readable.toWeb(response);
        const answered = Object.entries(response.headersDistinct).flatMap(([name, values = []]) =>
          values.map((value): [string, string] => [name, value]),
        );
        resolve(new Response(stream as ReadableStream | null, { status, headers: answered }));
      });
      sent.on('error', reject);
      sent.end(body);
    });
  };
