/** A client of Server-Sent Events that reads their format by the book, sharing no code with the service. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type RequestOptions, request } from 'node:https';

export interface Event {
  /** What kind of event; empty where it is not said. */
  readonly event: string;
  readonly id: string;
  readonly data: string;
}

export interface Listening {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** The body of a refusal. */
  readonly body: string;
  readonly events: readonly Event[];
  /** Resolves when `count` events have come, rejects when the stream ends before. */
  came(count: number): Promise<readonly Event[]>;
  /** Resolves with what a client that is cut off now sends as `Last-Event-ID`, once there is something. */
  lastId(): Promise<string>;
  /** Resolves when the service has ended it. */
  ended(): Promise<void>;
  close(): void;
}

/**
 * @param path with its query string
 * @param body makes it a POST, of JSON
 */
export async function listen(
  url: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
): Promise<Listening> {
  const { hostname, port } = new URL(url);
  const options: RequestOptions = { host: hostname, port, path, rejectUnauthorized: false };
  const asked = request({
    ...options,
    agent: false,
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      accept: 'text/event-stream',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
  });
  asked.end(body);
  const [response]: IncomingMessage[] = await once(asked, 'response');
  if (!response) throw new Error('no answer came');
  asked.on('error', () => undefined);
  const events: Event[] = [];
  let lastId = '';
  let rest = '';
  const waiting = new Set<() => void>();
  response.setEncoding('utf8');
  response.on('data', (text: string) => {
    rest += text;
    for (let end = rest.indexOf('\n\n'); end !== -1; end = rest.indexOf('\n\n')) {
      const event = read(rest.slice(0, end));
      if (event.id !== '') lastId = event.id;
      if (event.data !== undefined) events.push({ ...event, data: event.data });
      rest = rest.slice(end + 2);
    }
    for (const look of waiting) look();
  });
  const over = new Promise<void>((resolve) => {
    response.on('close', resolve);
    response.on('error', () => undefined);
  });
  const comes = <T>(found: () => T | undefined): Promise<T> =>
    new Promise((resolve, reject) => {
      const look = () => {
        const what = found();
        if (what === undefined) return;
        waiting.delete(look);
        resolve(what);
      };
      waiting.add(look);
      void over.then(() => reject(new Error(`it ended after ${events.length} events`)));
      look();
    });
  if (response.statusCode !== 200) await over;
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: rest,
    events,
    came: (count) => comes(() => (events.length < count ? undefined : events)),
    lastId: () => comes(() => lastId || undefined),
    ended: () => over,
    close: () => asked.destroy(),
  };
}

/** A block; one without data, such as a comment, is not an event. */
function read(block: string): Omit<Event, 'data'> & { readonly data: string | undefined } {
  const fields = block.split('\n').map((line) => /^([^:]*):? ?(.*)$/.exec(line) ?? []);
  const values = (name: string) =>
    fields.flatMap(([, key, value]) => (key === name ? (value ?? '') : []));
  const data = values('data');
  const last = (name: string) => values(name).at(-1) ?? '';
  const told = data.length === 0 ? undefined : data.join('\n');
  return { event: last('event'), id: last('id'), data: told };
}
