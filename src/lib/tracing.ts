/**
 * Spans, made by hand where the work of a call passes from one part to another: request, operation, statement,
 * delivery. They go to whatever is registered with OpenTelemetry's API. A call that is not traced has no
 * {@link Trace}, or one without a span, and costs no more than finding that out.
 */
import {
  type Attributes,
  type Link,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';

/** What the log and the spans of one call have in common. */
export interface Trace {
  /** 32 hexadecimal digits. */
  readonly id: string;
  /** Beneath which whatever comes next happens; undefined where nothing is recorded. */
  current: Span | undefined;
}

/** A request as its log lines and spans refer to it. */
export interface RequestIdentity {
  readonly id: string;
  readonly trace: Trace | undefined;
}

interface SpanStart {
  readonly kind: SpanKind;
  readonly attributes: Attributes;
  readonly links?: Link[];
  /** Milliseconds of the epoch; now unless given. */
  readonly startTime?: number;
}

/** @param parent undefined for the first span of a trace */
export function startSpan(name: string, started: SpanStart, parent?: SpanContext): Span {
  const context = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
  return trace.getTracer('sales-crm').startSpan(name, started, context);
}

/** A moment on the clock of `performance` as one of the epoch, in milliseconds. */
export const epochMs = (at: number): number => performance.timeOrigin + at;

/** Adds something beneath the current span that has happened already. */
export function addSpan(
  { current }: Trace,
  name: string,
  { ms, attributes, hasFailed }: { ms: number; attributes: Attributes; hasFailed: boolean },
): void {
  if (!current) return;
  const ended = epochMs(performance.now());
  const started = { kind: SpanKind.CLIENT, attributes, startTime: ended - ms };
  const span = startSpan(name, started, current.spanContext());
  if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(ended);
}

/** Does something beneath the current span, which has its own beneath it meanwhile. */
export async function inSpan<T extends { readonly errors?: unknown }>(
  call: Trace,
  name: string,
  attributes: Attributes,
  work: () => T | Promise<T>,
): Promise<T> {
  const { current } = call;
  if (!current) return work();
  const span = startSpan(name, { kind: SpanKind.INTERNAL, attributes }, current.spanContext());
  call.current = span;
  let hasFailed = true;
  try {
    const result = await work();
    hasFailed = result.errors !== undefined;
    return result;
  } finally {
    call.current = current;
    if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  }
}

/** A span as others are told of it (W3C Trace Context): `00-<trace id>-<span id>-01`. */
export const traceparentOf = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-|$)/;

/** @returns undefined for what is no `traceparent`, which a receiver ignores */
export function readTraceparent(text: unknown): SpanContext | undefined {
  if (typeof text !== 'string') return undefined;
  const [, version, traceId = '', spanId = '', flags = '', more] = form.exec(text) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== '')) {
    return undefined;
  }
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}
