import type { Answer, Client } from './http.ts';

/** An object to send as JSON, or text to send as it is. */
export type Body = Readonly<Record<string, unknown>> | readonly unknown[] | string | Buffer;

export type Headers = Readonly<Record<string, string | string[]>>;

/** REST as one token sees one account: paths are those beneath the account. */
export class Rest {
  readonly #client: Client;
  readonly #prefix: string;
  readonly #headers: Headers;

  /** @param token undefined: none is sent */
  constructor(client: Client, accountId: number | string, token: string | undefined) {
    this.#client = client;
    this.#prefix = `/api/v1/accounts/${accountId}`;
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  }

  /** @param headers take the place of those that the client would send */
  send<T = unknown>(
    method: string,
    path: string,
    body?: Body,
    headers: Headers = {},
  ): Promise<Answer<T>> {
    const raw = body === undefined || typeof body === 'string' || Buffer.isBuffer(body);
    const text = raw ? body : JSON.stringify(body);
    return this.#client.send<T>({
      method,
      path: this.#prefix + path,
      headers: {
        ...this.#headers,
        ...(text === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(text === undefined ? {} : { body: text }),
    });
  }

  get<T = unknown>(path: string, headers?: Headers): Promise<Answer<T>> {
    return this.send('GET', path, undefined, headers);
  }

  post<T = unknown>(path: string, body?: Body, headers?: Headers): Promise<Answer<T>> {
    return this.send('POST', path, body, headers);
  }

  put<T = unknown>(path: string, body?: Body, headers?: Headers): Promise<Answer<T>> {
    return this.send('PUT', path, body, headers);
  }

  delete<T = unknown>(path: string, headers?: Headers): Promise<Answer<T>> {
    return this.send('DELETE', path, undefined, headers);
  }
}
