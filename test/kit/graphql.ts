import type { Answer, Client } from './http.ts';
import type { Headers } from './rest.ts';

/** An entry of `errors`. */
export interface GraphqlError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions: {
    readonly code: string;
    readonly errors?: readonly string[];
    readonly fields?: Readonly<Record<string, readonly string[]>>;
    readonly codes?: Readonly<Record<string, readonly string[]>>;
  };
}

export interface GraphqlBody<T> {
  readonly data?: T | null;
  readonly errors?: readonly GraphqlError[];
}

/** GraphQL as one token sees it. */
export class Graphql {
  readonly #client: Client;
  readonly #token: string | undefined;

  constructor(client: Client, token: string | undefined) {
    this.#client = client;
    this.#token = token;
  }

  /** @param variables an object, or the JSON text of one */
  send<T = unknown>(
    query: string,
    variables: Readonly<Record<string, unknown>> | string = {},
    headers: Headers = {},
  ): Promise<Answer<GraphqlBody<T>>> {
    const text = typeof variables === 'string' ? variables : JSON.stringify(variables);
    return this.#client.send({
      method: 'POST',
      path: '/graphql',
      headers: {
        'content-type': 'application/json',
        ...(this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` }),
        ...headers,
      },
      body: `{"query":${JSON.stringify(query)},"variables":${text}}`,
    });
  }

  /** The data of an answer without errors. */
  async data<T>(query: string, variables?: Readonly<Record<string, unknown>> | string): Promise<T> {
    const { body, text } = await this.send<T>(query, variables);
    if (body?.errors || !body?.data) throw new Error(`GraphQL answered ${text}\nto ${query}`);
    return body.data;
  }
}
