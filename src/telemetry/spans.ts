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

/** Where spans go that have ended. */
export interface SpanQueue {
  /** Whether a span that ended now would be dropped. */
  readonly isFull: boolean;
  add(span: OtlpSpan): void;
}

export class OtlpTracer implements Tracer {
  readonly #ratio: number;
  readonly #queue: SpanQueue;

  constructor(ratio: number, queue: SpanQueue) {
    this.#ratio = ratio;
    this.#queue = queue;
  }

  /**
   * Who calls decides for a whole trace; of those that begin here, a part is recorded, and what a recorded one
   * caused. While nothing is taken, nothing begins to be recorded.
   */
  startSpan(name: string, options: SpanOptions = {}, context?: Context): Span {
    const parent = context && trace.getSpanContext(context);
    const isLinked = options.links?.some((link) => link.context.traceFlags === 1) === true;
    const isWanted = parent ? parent.traceFlags === 1 : isLinked || Math.random() < this.#ratio;
    const isSampled = isWanted && !this.#queue.isFull;
    const own = { traceId: parent?.traceId ?? hex(32), spanId: hex(16), traceFlags: +isSampled };
    if (!isSampled) return trace.wrapSpanContext(own);
    return new OtlpSpan(name, options, own, parent?.spanId, this.#queue);
  }

  startActiveSpan(): never {
    throw new Error('no span is found by itself: whoever starts one has its parent');
  }
}

/** A span. Events are not kept: the log has them. */
export class OtlpSpan implements Span {
  readonly #options: SpanOptions;
  readonly #context: SpanContext;
  readonly #parent: string | undefined;
  readonly #queue: SpanQueue;
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
    queue: SpanQueue,
  ) {
    this.#name = name;
    this.#options = options;
    this.#context = context;
    this.#parent = parent;
    this.#queue = queue;
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
    this.#queue.add(this);
  }

  /** As OTLP has it, in JSON of ASCII; composed by hand, since this is most of what recording a request costs. */
  encode(): string {
    const { traceId, spanId } = this.#context;
    const parent = this.#parent === undefined ? '' : `"parentSpanId":"${this.#parent}",`;
    const status = this.#status === undefined ? '' : `,"status":{"code":${this.#status.code}}`;
    const kind = (this.#options.kind ?? 0) + 1;
    const times = `"startTimeUnixNano":"${nanos(this.#start)}","endTimeUnixNano":"${nanos(this.#end)}"`;
    const attributes = encodedAttributes(this.#attributes);
    const links = this.#links.map(encodedLink).join();
    return `{"name":${quoted(this.#name)},"traceId":"${traceId}","spanId":"${spanId}",${parent}"kind":${kind},${times},"attributes":[${attributes}],"links":[${links}]${status}}`;
  }
}

/** Milliseconds of the epoch, with fractions; now where no moment is given. */
const msOf = (at?: TimeInput): number =>
  at === undefined ? performance.timeOrigin + performance.now() : Number(at);

let second = Number.NaN;
let secondText = '';

/** In microseconds: a number does not hold nanoseconds exactly, and one this long takes a while to write. */
function nanos(ms: number): string {
  const inSeconds = Math.floor(ms / 1000);
  if (inSeconds !== second) {
    second = inSeconds;
    secondText = String(second);
  }
  const micros = Math.floor((ms - second * 1000) * 1000);
  return `${secondText}${String(1_000_000 + micros).slice(1)}000`;
}

/** Most texts are names of the service's own. */
const plain = /^[ !#-[\]-~]*$/;

/** In ASCII, like the rest. */
const quoted = (text: string): string =>
  plain.test(text)
    ? `"${text}"`
    : JSON.stringify(text).replaceAll(
        /[^\0-\x7f]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );

function encodedAttributes(attributes: Attributes): string {
  let encoded = '';
  for (const key in attributes) {
    const value = attributes[key];
    if (value === undefined) continue;
    const comma = encoded === '' ? '' : ',';
    encoded += `${comma}{"key":"${key}","value":{${encodedValue(value)}}}`;
  }
  return encoded;
}

function encodedValue(value: AttributeValue): string {
  if (typeof value === 'number')
    return Number.isInteger(value) ? `"intValue":${value}` : `"doubleValue":${value}`;
  if (typeof value === 'boolean') return `"boolValue":${value}`;
  return `"stringValue":${quoted(String(value))}`;
}

const encodedLink = ({ context: { traceId, spanId } }: Link): string =>
  `{"traceId":"${traceId}","spanId":"${spanId}"}`;

let random = '';
/** As many hexadecimal digits at random; the system is asked for many at once. */
function hex(digits: number): string {
  if (random.length < digits) random = randomBytes(2048).toString('hex');
  const id = random.slice(0, digits);
  random = random.slice(digits);
  return id;
}
