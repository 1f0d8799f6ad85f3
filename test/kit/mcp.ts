/** The door for agents, as one token sees it. */
import type { Answer, Client } from './http.ts';

/** A result of a tool. */
export interface ToolResult {
  readonly content: readonly { readonly type: string; readonly text: string }[];
  // biome-ignore lint/suspicious/noExplicitAny: what a tool answers is what the test expects
  readonly structuredContent: any;
  readonly isError?: boolean;
}

export interface RpcBody<T = unknown> {
  readonly jsonrpc: '2.0';
  readonly id: number | string | null;
  readonly result?: T;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export class Mcp {
  readonly #client: Client;
  readonly #token: string | undefined;

  constructor(client: Client, token: string | undefined) {
    this.#client = client;
    this.#token = token;
  }

  /** Sends a body as it is. */
  post<T = unknown>(
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer<RpcBody<T>>> {
    return this.#client.send<RpcBody<T>>({
      method: 'POST',
      path: '/mcp',
      headers: {
        ...(this.#token && { authorization: `Bearer ${this.#token}` }),
        'content-type': 'application/json',
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  request<T = unknown>(method: string, params: object = {}): Promise<Answer<RpcBody<T>>> {
    return this.post<T>({ jsonrpc: '2.0', id: 1, method, params });
  }

  /** The names of the tools that the token is shown, with the resources that each takes. */
  async tools(): Promise<Readonly<Record<string, readonly string[]>>> {
    const { body } = await this.request<{
      tools: readonly {
        name: string;
        inputSchema: { properties: { resource?: { enum: string[] } } };
      }[];
    }>('tools/list');
    return Object.fromEntries(
      (body.result?.tools ?? []).map(({ name, inputSchema }) => [
        name,
        inputSchema.properties.resource?.enum ?? [],
      ]),
    );
  }

  /** @throws where the call is no tool's */
  async call(name: string, args: object = {}): Promise<ToolResult> {
    const { body, text } = await this.request<ToolResult>('tools/call', { name, arguments: args });
    if (!body.result) throw new Error(`${name} was answered ${text}`);
    return body.result;
  }

  /** What a tool answers. @throws where it refuses */
  async use(name: string, args: object = {}): Promise<ToolResult['structuredContent']> {
    const { structuredContent, isError } = await this.call(name, args);
    if (isError) throw new Error(`${name} refused: ${JSON.stringify(structuredContent)}`);
    return structuredContent;
  }
}
