/** Spans as OTLP has them: the part of OpenTelemetry's API that this service uses, and no more. */
import { randomBytes } from 'node:crypto';
import {
  type Attributes,
  type AttributeValue,
  type Context,
  type Link,
  type Span,
  type SpanContext,
  type SpanOptions,
  type SpanStatus,
  type TimeInput,
  type Tracer,
  trace,
} from '@opentelemetry/api';

export class OtlpTracer implements Tracer {
  readonly #ratio: number;
  readonly #ended: (span: OtlpSpan) => void;

  constructor(ratio: number, ended: (span: OtlpSpan) => void) {
    this.#ratio = ratio;
    this.#ended = ended;
  }

  /** Who calls decides for a whole trace; of those that begin here, a part is recorded, and what a recorded one caused. */
  startSpan(name: string, options: SpanOptions = {}, context?: Context): Span {
    const parent = context && trace.getSpanContext(context);
    const isLinked = options.links?.some((link) => link.context.traceFlags === 1) === true;
    const isSampled = parent ? parent.traceFlags === 1 : isLinked || Math.random() < this.#ratio;
    const own = { traceId: parent?.traceId ?? hex(32), spanId: hex(16), traceFlags: +isSampled };
    if (!isSampled) return trace.wrapSpanContext(own);
    return new OtlpSpan(name, options, own, parent?.spanId, this.#ended);
  }

  startActiveSpan(): never {
    throw new Error('no span is found by itself: whoever starts one has its parent');
  }
}

/**
 * A span that becomes what OTLP says of it when it is sent: of what is dropped because there is too much of it,
 * little more is made than this object. Events are not kept: the log has them.
 */
export class OtlpSpan implements Span {
  readonly #options: SpanOptions;
  readonly #context: SpanContext;
  readonly #parent: string | undefined;
  readonly #ended: (span: OtlpSpan) => void;
  readonly #start: number;
  readonly #attributes: Attributes;
  #links: readonly Link[];
  #name: string;
  #status: SpanStatus | undefined;
  #end = 0;

  constructor(
    name: string,
    options: SpanOptions,
    context: SpanContext,
    parent: string | undefined,
    ended: (span: OtlpSpan) => void,
  ) {
    this.#name = name;
    this.#options = options;
    this.#context = context;
    this.#parent = parent;
    this.#ended = ended;
    this.#start = msOf(options.startTime);
    this.#attributes = options.attributes ?? {};
    this.#links = options.links ?? [];
  }

  spanContext() {
    return this.#context;
  }
  isRecording() {
    return this.#end === 0;
  }
  setAttribute(key: string, value: AttributeValue | undefined) {
    this.#attributes[key] = value;
    return this;
  }
  setAttributes(attributes: Attributes) {
    Object.assign(this.#attributes, attributes);
    return this;
  }
  setStatus(status: SpanStatus) {
    this.#status = status;
    return this;
  }
  updateName(name: string) {
    this.#name = name;
    return this;
  }
  addLink(link: Link) {
    return this.addLinks([link]);
  }
  addLinks(links: Link[]) {
    this.#links = [...this.#links, ...links];
    return this;
  }
  addEvent() {
    return this;
  }
  recordException() {}
  end(at?: TimeInput) {
    if (this.#end > 0) return;
    this.#end = msOf(at);
    this.#ended(this);
  }

  /** As OTLP has it. */
  toJSON() {
    return {
      name: this.#name,
      traceId: this.#context.traceId,
      spanId: this.#context.spanId,
      parentSpanId: this.#parent,
      kind: (this.#options.kind ?? 0) + 1,
      startTimeUnixNano: nanos(this.#start),
      endTimeUnixNano: nanos(this.#end),
      attributes: Object.entries(this.#attributes).flatMap(([key, value]) =>
        value === undefined ? [] : { key, value: encoded(value) },
      ),
      links: this.#links.map(({ context: { traceId, spanId } }) => ({ traceId, spanId })),
      status: this.#status,
    };
  }
}

/** Milliseconds of the epoch, with fractions; now where no moment is given. */
const msOf = (at?: TimeInput): number =>
  at === undefined ? performance.timeOrigin + performance.now() : Number(at);

/** Microseconds are exact in a number, nanoseconds are not. */
const nanos = (ms: number) => `${Math.round(ms * 1000)}000`;

function encoded(value: AttributeValue): object {
  if (typeof value === 'number')
    return Number.isInteger(value) ? { intValue: value } : { doubleValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return { stringValue: String(value) };
}

let random = '';
/** As many hexadecimal digits at random; the system is asked for many at once. */
function hex(digits: number): string {
  if (random.length < digits) random = randomBytes(2048).toString('hex');
  const taken = random.slice(0, digits);
  random = random.slice(digits);
  return taken;
}
