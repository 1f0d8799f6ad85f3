/** Sends spans by OTLP over HTTP, as JSON. */
import http from 'node:http';
import https from 'node:https';
import { trace } from '@opentelemetry/api';
import type { Config } from '../config/config.ts';
import type { Log } from './log.ts';
import { type OtlpSpan, OtlpTracer, type SpanQueue } from './spans.ts';

type Settings = NonNullable<Config['tracing']>;

/**
 * Bytes of spans that wait, each some 400: what comes while there is no room is dropped. They are sent at the
 * latest when there is a fourth of that.
 */
const maxWaiting = 1024 * 1024;
const maxDelayed = maxWaiting / 4;
/** Bytes of room without which no span begins. */
const roomOfSpan = 2048;
/** Milliseconds that one post may take, and the pause after one that failed. */
const times = { limit: 5000, rest: 5000 } as const;

/**
 * Starts to send spans where that is configured.
 * @returns how to stop; what waits is sent, if that is possible at once
 */
export function startTracing({ tracing }: Pick<Config, 'tracing'>, log: Log): () => Promise<void> {
  if (!tracing) return async () => undefined;
  const exporter = new Exporter(tracing, log);
  const tracer = new OtlpTracer(tracing.ratio, exporter);
  trace.setGlobalTracerProvider({ getTracer: () => tracer });
  return () => {
    trace.disable();
    return exporter.close();
  };
}

const tail = Buffer.from(']}]}]}');

/** Sends what ended, some at a time; while it cannot, the log says so once and spans are dropped. */
class Exporter implements SpanQueue {
  readonly #settings: Settings;
  readonly #head: Buffer;
  readonly #log: Log;
  /** As they are sent, each with a comma behind it: objects that outlive their request make work of collecting garbage. */
  readonly #waiting = Buffer.allocUnsafe(maxWaiting);
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #isWell = true;

  constructor(settings: Settings, log: Log) {
    this.#settings = settings;
    const name = { key: 'service.name', value: { stringValue: settings.service } };
    const resource = JSON.stringify({ attributes: [name] });
    const scope = JSON.stringify({ name: 'sales-crm' });
    this.#head = Buffer.from(
      `{"resourceSpans":[{"resource":${resource},"scopeSpans":[{"scope":${scope},"spans":[`,
    );
    this.#log = log;
  }

  get isFull(): boolean {
    return this.#bytes > maxWaiting - roomOfSpan;
  }

  add(span: OtlpSpan): void {
    const text = `${span.encode()},`;
    if (this.#bytes + text.length <= maxWaiting)
      this.#bytes += this.#waiting.write(text, this.#bytes, 'latin1');
    // Where many come, the pause is not waited for: they would be dropped.
    if (this.#isWell && this.#bytes >= maxDelayed) this.#start();
    else this.#schedule();
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#sending;
    clearTimeout(this.#timer);
    while (this.#isWell && this.#bytes > 0) await this.#send();
  }

  #schedule(): void {
    this.#timer ??= setTimeout(
      () => this.#start(),
      this.#isWell ? this.#settings.delayMs : times.rest,
    ).unref();
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
      if (this.#bytes > 0) this.#schedule();
    });
  }

  /** What is left then is little, and waits for more. */
  async #sendAll(): Promise<void> {
    do await this.#send();
    while (this.#isWell && this.#bytes >= maxDelayed);
  }

  async #send(): Promise<void> {
    // Nothing waits where what came was too long.
    if (this.#bytes === 0) return;
    const spans = this.#waiting.subarray(0, this.#bytes - 1);
    const body = Buffer.concat([this.#head, spans, tail]);
    this.#bytes = 0;
    const failure = await this.#post(body);
    if (failure !== undefined && this.#isWell)
      this.#log.warn({ reason: failure }, 'traces cannot be sent for now');
    this.#isWell = failure === undefined;
  }

  /**
   * By `node:http`, which takes a fourth of the time that `fetch` does for a body this large.
   * @returns why it was not taken
   */
  async #post(body: Buffer): Promise<string | undefined> {
    const { url, headers: own } = this.#settings;
    const headers = { ...own, 'content-type': 'application/json', 'content-length': body.length };
    const signal = AbortSignal.timeout(times.limit);
    const { request } = new URL(url).protocol === 'https:' ? https : http;
    try {
      const status = await new Promise<number>((resolve, reject) => {
        const post = request(url, { method: 'POST', headers, signal }, (answer) => {
          answer.on('error', reject).on('end', () => resolve(answer.statusCode ?? 0));
          answer.resume();
        });
        post.on('error', reject).end(body);
      });
      return status >= 200 && status < 300 ? undefined : `answered ${status}`;
    } catch (error) {
      return String(error);
    }
  }
}
