/** HTTPS as a client speaks it, one request at a time, with everything that came back. */
import { Agent, type RequestOptions, request } from 'node:https';
import type { IncomingHttpHeaders } from 'node:http';
import { conforms } from './conforms.ts';

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
  /** The body as text, byte for byte. */
  readonly text: string;
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
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64, rejectUnauthorized: false });

  constructor(url: string) {
    this.#url = new URL(url);
  }

  send<T>({ method, path, headers = {}, body }: Sending): Promise<Answer<T>> {
    const options: RequestOptions = {
      host: this.#url.hostname,
      port: this.#url.port,
      method,
      path,
      agent: this.#agent,
      headers: body === undefined ? headers : { 'content-length': Buffer.byteLength(body), ...headers },
    };
    return new Promise((resolve, reject) => {
      const sent = request(options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          const answer = {
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            body: parse(text),
            asked: { method, path, body: body?.toString() ?? '' },
          };
          try {
            // Every answer of the REST interface, whatever the test wanted it for.
            conforms({ method, path, status: answer.status, body: answer.body });
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

/** @returns what a test expects, which is unknown here */
function parse(text: string) {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
