/**
 * The client that the service serves of itself: every operation of its OpenAPI document, retries with keys, and what
 * has no end as something to iterate over. It needs nothing but `fetch` and Web Cryptography; the build adds the table
 * of operations, and the types.
 */
import { type CallOptions, type ClientOptions, type Json, queryOf, Sender } from './sender.ts';

export { CrmError } from './sender.ts';

/** A method, and a path beneath the account. */
export type Operation = readonly [method: string, path: string];

/** Operations by their names; those of resources beneath them. */
export type Operations = Readonly<Record<string, Operation | Readonly<Record<string, Operation>>>>;

/** Something that ends when all was read, whose first page can be awaited. */
class Pages<Item> implements AsyncIterable<Item>, PromiseLike<unknown> {
  readonly #first: () => Promise<unknown>;
  readonly #all: () => AsyncGenerator<Item>;

  constructor(first: () => Promise<unknown>, all: () => AsyncGenerator<Item>) {
    this.#first = first;
    this.#all = all;
  }

  [Symbol.asyncIterator](): AsyncGenerator<Item> {
    return this.#all();
  }

  // biome-ignore lint/suspicious/noThenProperty: a search is awaited for a page, and iterated over for all
  then<One, Other>(
    fulfilled?: ((page: unknown) => One | PromiseLike<One>) | null,
    rejected?: ((error: unknown) => Other | PromiseLike<Other>) | null,
  ): Promise<One | Other> {
    return this.#first().then(fulfilled as (page: unknown) => One, rejected);
  }
}

/** All records that a search finds: from cursor to cursor, so that none is missed or seen twice. */
async function* walk(sender: Sender, path: string, search: Json, options?: CallOptions) {
  let { after } = search;
  do {
    const body = { per_page: 100, ...search, after, count: 'none' };
    const response = await sender.send({ method: 'POST', path, body, options });
    const { data } = Object(await response.json());
    yield* data;
    after = response.headers.get('x-next-cursor') ?? undefined;
  } while (after !== undefined);
}

/** Every change, from a cursor on, without end. */
async function* follow(sender: Sender, path: string, input: Json, options?: CallOptions) {
  for (let { after } = input; ; ) {
    const query = queryOf({ wait: 25, ...input, after });
    const page = Object(await sender.json({ method: 'GET', path: path + query, options }));
    yield* page.data;
    after = page.next;
  }
}

/** The records of an export, as they come. */
async function* lines(sender: Sender, path: string, input: Json, options?: CallOptions) {
  const query = queryOf({ ...input, format: 'ndjson' });
  const { body } = await sender.send({ method: 'GET', path: path + query, options });
  if (!body) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const parts = (rest + decoder.decode(value, { stream: !done })).split('\n');
      rest = parts.pop() ?? '';
      for (const line of parts) if (line !== '') yield JSON.parse(line);
      if (done) break;
    }
    if (rest !== '') yield JSON.parse(rest);
  } finally {
    await reader.cancel();
  }
}

/** Records that a batch takes at once. */
const mostRecords = 1000;

/** A batch of any number of records; of more than a thousand those before a failure stay written. */
async function batch(
  sender: Sender,
  path: string,
  { records, ...input }: Json,
  options: CallOptions = {},
) {
  const all: readonly unknown[] = Array.isArray(records) ? records : [];
  const results: unknown[] = [];
  const summary: Record<string, number> = {};
  for (let at = 0; at === 0 || at < all.length; at += mostRecords) {
    const key = options.key === undefined ? undefined : `${options.key}-${at}`;
    const answer = Object(
      await sender.json({
        method: 'POST',
        path,
        body: { ...input, records: all.slice(at, at + mostRecords) },
        options: { ...options, ...(key !== undefined && at > 0 && { key }) },
      }),
    );
    for (const result of answer.results) results.push({ ...result, index: result.index + at });
    for (const [name, count] of Object.entries<number>(answer.summary)) {
      summary[name] = (summary[name] ?? 0) + count;
    }
  }
  return { results, summary };
}

/** @returns what calls an operation: with the parts of its path, its body or parameters, and options */
function callOf(sender: Sender, [method, template]: Operation) {
  const names = template.match(/\{\w+\}/g) ?? [];
  return (...args: readonly unknown[]): unknown => {
    const filled = names.reduce(
      (path: string, name, at) => path.replace(name, encodeURIComponent(String(args[at]))),
      template,
    );
    const path = sender.account + filled;
    const [input, options] = args.slice(names.length) as [
      Json | undefined,
      CallOptions | undefined,
    ];
    const body: Json = input ?? {};
    if (template.endsWith('/search')) {
      const first = () => sender.json({ method, path, body, options });
      return new Pages(first, () => walk(sender, path, body, options));
    }
    if (template.endsWith('/export')) return lines(sender, path, body, options);
    if (template.endsWith('/batch')) return batch(sender, path, body, options);
    if (method === 'GET') {
      const first = () => sender.json({ method, path: path + queryOf(body), options });
      if (template !== '/changes') return first();
      return new Pages(first, () => follow(sender, path, body, options));
    }
    if (method === 'DELETE') return sender.json({ method, path: path + queryOf(body), options });
    return sender.json({ method, path, body, options });
  };
}

const isOperation = (value: Operations[string]): value is Operation => Array.isArray(value);

/** @param operations those of the service that the client is of */
export function clientOf(operations: Operations, options: ClientOptions): Json {
  const sender = new Sender(options);
  const client: Record<string, unknown> = {
    graphql: (query: string, variables: Json = {}, of: CallOptions = {}) =>
      sender.json({ method: 'POST', path: '/graphql', body: { query, variables }, options: of }),
  };
  for (const [name, value] of Object.entries(operations)) {
    client[name] = isOperation(value)
      ? callOf(sender, value)
      : Object.fromEntries(Object.entries(value).map(([verb, one]) => [verb, callOf(sender, one)]));
  }
  return client;
}
