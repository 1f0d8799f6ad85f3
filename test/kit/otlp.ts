/** A receiver of OTLP over HTTP, as a collector is one. */
import { startReceiver } from './receiver.ts';

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly {
    readonly key: string;
    readonly value: Readonly<Record<string, unknown>>;
  }[];
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status?: { readonly code: number };
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly object[] };
    readonly scopeSpans: readonly { readonly spans: readonly ReceivedSpan[] }[];
  }[];
}

export interface Collector {
  readonly url: string;
  readonly paths: () => readonly string[];
  readonly resources: () => readonly object[];
  readonly spans: () => readonly ReceivedSpan[];
  close(): Promise<void>;
}

export async function startCollector(): Promise<Collector> {
  const receiver = await startReceiver();
  const exports = () => receiver.received.map(({ body }): Export => JSON.parse(body));
  return {
    url: receiver.url,
    paths: () => receiver.received.map(({ path }) => path),
    resources: () =>
      exports().flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ resource }) => resource.attributes),
      ),
    spans: () =>
      exports().flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      ),
    close: () => receiver.close(),
  };
}

/** The values of a span's attributes. */
export const attributesOf = ({ attributes }: ReceivedSpan): Readonly<Record<string, unknown>> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
