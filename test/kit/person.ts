import type { GraphqlBody } from './graphql.ts';
import type { Answer, Client } from './http.ts';
import type { Headers } from './rest.ts';

/** What a browser says of a request by a page of the service itself. */
export const ownPage: Headers = { 'sec-fetch-site': 'same-origin' };

/** Someone at a browser, which keeps the cookie that it is given. */
export class Person {
  readonly #client: Client;
  cookie: string | undefined;

  /** @param secret of a session that there is already */
  constructor(client: Client, secret?: string) {
    this.#client = client;
    this.cookie = secret === undefined ? undefined : `__Host-session=${secret}`;
  }

  /** @param headers take the place of those that the browser would send */
  async send<T = unknown>(
    method: string,
    path: string,
    body?: object | string,
    headers: Headers = {},
  ): Promise<Answer<T>> {
    const answer = await this.#client.send<T>({
      method,
      path,
      headers: {
        ...ownPage,
        ...(this.cookie === undefined ? {} : { cookie: this.cookie }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const [given] = answer.headers['set-cookie'] ?? [];
    if (given !== undefined) this.cookie = /^(__Host-session=[^;]+);/.exec(given)?.[1];
    return answer;
  }

  signIn<T = unknown>(email: string, password = 'correct horse'): Promise<Answer<T>> {
    return this.send<T>('POST', '/session', { email, password });
  }

  graphql<Data>(query: string, variables: object = {}): Promise<Answer<GraphqlBody<Data>>> {
    return this.send('POST', '/graphql', { query, variables });
  }
}
