/** HTTPS as a client speaks it, and plain HTTP as a proxy does, with everything that came back. */
import {
  type IncomingHttpHeaders,
  Agent as PlainAgent,
  type RequestOptions,
  request as requestPlain,
} from 'node:http';
import { Agent, request } from 'node:https';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { documentation } from './shared.ts';

/** What was asked, for the report of a failure. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/** What came back. `T` is what the test expects of the body; nothing checks it but the test. */
export interface Answer<T = unknown> {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body as text, byte for byte; unpacked, where it came compressed. */
  readonly text: string;
  /** Bytes of the body as it came. */
  readonly bytes: number;
  /** The body as JSON; undefined when there is none. */
  readonly body: T;
  readonly asked: Asked;
}

export interface Sending {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Buffer;
}

/** Sends requests to one origin over a few connections that stay open. */
export class Client {
  readonly #url: URL;
  readonly #agent: Agent | PlainAgent;

  constructor(url: string) {
    this.#url = new URL(url);
    const pool = { keepAlive: true, maxSockets: 64 };
    this.#agent = this.#isPlain
      ? new PlainAgent(pool)
      : new Agent({ ...pool, rejectUnauthorized: false });
  }

  get #isPlain(): boolean {
    return this.#url.protocol === 'http:';
  }

  send<T>({ method, path, headers = {}, body }: Sending): Promise<Answer<T>> {
    const options: RequestOptions = {
      host: this.#url.hostname,
      port: this.#url.port,
      method,
      path,
      agent: this.#agent,
      headers:
        body === undefined ? headers : { 'content-length': Buffer.byteLength(body), ...headers },
    };
    return new Promise((resolve, reject) => {
      const sent = (this.#isPlain ? requestPlain : request)(options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const came = Buffer.concat(chunks);
          const text = unpacked(came, response.headers['content-encoding']).toString('utf8');
          const answer = {
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            bytes: came.length,
            body: parse(text),
            asked: { method, path, body: body?.toString() ?? '' },
          };
          try {
            // Every answer of the REST interface, whatever the test wanted it for.
            documentation.conforms({
              method,
              path,
              status: answer.status,
              body: answer.body,
              type: answer.headers['content-type']?.startsWith('application/problem+json')
                ? 'application/problem+json'
                : undefined,
            });
            resolve(answer);
          } catch (error) {
            reject(error);
          }
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

function unpacked(bytes: Buffer, encoding: string | undefined): Buffer {
  if (encoding === undefined || bytes.length === 0) return bytes;
  if (encoding === 'br') return brotliDecompressSync(bytes);
  if (encoding === 'gzip') return gunzipSync(bytes);
  throw new Error(`an answer came encoded as ${encoding}`);
}

/** @returns what a test expects, which is unknown here */
function parse(text: string) {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
