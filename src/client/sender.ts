/** Sends requests, again and again where that may help. */

export interface ClientOptions {
  /** Where the service is: `https://crm.example.com`. */
  readonly url: string;
  readonly token: string;
  readonly account: number;
  /** In place of the global one. */
  readonly fetch?: typeof fetch;
  /** How often a request is sent at most; 5 unless given. */
  readonly attempts?: number;
}

/** What may be said of a single call. */
export interface CallOptions {
  /** The idempotency key of a write; a random one unless given. */
  readonly key?: string;
  readonly ifMatch?: string;
  /** Has the service tell what a write would do, and store nothing. */
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Json = Readonly<Record<string, unknown>>;

/** Statuses of refusals that may be over soon. */
const passing: readonly number[] = [408, 409, 429, 502, 503, 504];

/** The longest pause between two attempts, in seconds. */
const longestPause = 60;

/** What the service refuses. */
export class CrmError extends Error {
  readonly status: number;
  /** Of the refusal: `validation_failed`. */
  readonly code: string;
  readonly errors: readonly string[];
  readonly fields: Readonly<Record<string, readonly string[]>>;
  readonly codes: Readonly<Record<string, readonly string[]>>;
  readonly requestId: string;
  readonly body: Json;

  constructor(status: number, body: Json) {
    const { errors = [], error, code = '', fields = {}, codes = {}, request_id = '' } = body;
    const messages = [errors].flat().map(String);
    super(messages.join('; ') || String(error ?? `status ${status}`));
    this.name = 'CrmError';
    this.status = status;
    this.code = String(code);
    this.errors = messages;
    this.fields = Object(fields);
    this.codes = Object(codes);
    this.requestId = String(request_id);
    this.body = body;
  }
}

const pause = (seconds: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, seconds * 1000);
    signal?.addEventListener('abort', end, { once: true });
  });

/** A value as the service reads query strings: `query[id_in][]=1`. */
function* parameters(name: string, value: unknown): Generator<readonly [string, string]> {
  if (value === undefined || value === null) return;
  if (Array.isArray(value)) for (const each of value) yield* parameters(`${name}[]`, each);
  else if (typeof value === 'object') {
    for (const [key, each] of Object.entries(value)) yield* parameters(`${name}[${key}]`, each);
  } else yield [name, String(value)];
}

/** The query string of parameters, with its question mark where there are any. */
export function queryOf(input: Json): string {
  const all = Object.entries(input).flatMap(([name, value]) => [...parameters(name, value)]);
  return all.length > 0 ? `?${new URLSearchParams(all.map(([name, value]) => [name, value]))}` : '';
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly options?: CallOptions | undefined;
}

/** Sends requests, again and again where that may help; a write has a key, so that it is done once. */
export class Sender {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** Where paths beneath the account begin. */
  get account(): string {
    return `/api/v1/accounts/${this.#options.account}`;
  }

  /** @throws {CrmError} for a refusal, after the last attempt; whatever `fetch` throws for a broken connection */
  async send({ method, path, body, options = {} }: Call): Promise<Response> {
    const { url, token, attempts = 5, fetch: call = fetch } = this.#options;
    const { key, ifMatch, dryRun, signal, headers } = options;
    const isWrite = method !== 'GET' && !path.endsWith('/search');
    const request: RequestInit = {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(isWrite && { 'idempotency-key': key ?? crypto.randomUUID() }),
        ...(ifMatch && { 'if-match': ifMatch }),
        ...(dryRun && { prefer: 'dry-run' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    };
    const address = url.replace(/\/$/, '') + path;
    for (let attempt = 1; ; attempt += 1) {
      const isLast = attempt >= attempts;
      const response = await call(address, request).catch((error: unknown) => {
        if (isLast || signal?.aborted) throw error;
      });
      if (response?.ok || response?.status === 304) return response;
      if (response && (isLast || !passing.includes(response.status))) throw await errorOf(response);
      await response?.body?.cancel();
      const retryAfter = Number(response?.headers.get('retry-after') ?? Number.NaN);
      const seconds = Number.isNaN(retryAfter) ? 0.25 * 2 ** attempt : retryAfter;
      await pause(Math.min(seconds, longestPause) * (1 + Math.random() / 4), signal);
    }
  }

  async json(call: Call): Promise<unknown> {
    const response = await this.send(call);
    const text = await response.text();
    return text === '' ? undefined : JSON.parse(text);
  }
}

async function errorOf(response: Response): Promise<CrmError> {
  const text = await response.text();
  let body: Json = {};
  try {
    body = JSON.parse(text);
  } catch {
    // Of something between here and the service.
  }
  return new CrmError(response.status, body);
}
