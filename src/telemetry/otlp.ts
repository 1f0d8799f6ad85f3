/** Sends spans by OTLP over HTTP, as JSON. */
import { trace } from '@opentelemetry/api';
import type { Config } from '../config/config.ts';
import type { Log } from './log.ts';
import { type OtlpSpan, OtlpTracer } from './spans.ts';

type Settings = NonNullable<Config['tracing']>;

/** Spans that wait to be sent, each some kilobyte: what comes while there are more is dropped. */
const maxWaiting = 2000;
const maxSent = 500;
/** Milliseconds between two posts, how long one may take, and the pause after one that failed. */
const times = { pause: 1000, limit: 5000, rest: 5000 } as const;

/**
 * Starts to send spans where that is configured.
 * @returns how to stop; what waits is sent, if that is possible at once
 */
export function startTracing({ tracing }: Pick<Config, 'tracing'>, log: Log): () => Promise<void> {
  if (!tracing) return async () => undefined;
  const exporter = new Exporter(tracing, log);
  const tracer = new OtlpTracer(tracing.ratio, (span) => exporter.add(span));
  trace.setGlobalTracerProvider({ getTracer: () => tracer });
  return () => {
    trace.disable();
    return exporter.close();
  };
}

/** Sends what ended, some at a time; while it cannot, the log says so once and spans are dropped. */
class Exporter {
  readonly #settings: Settings;
  readonly #log: Log;
  readonly #waiting: OtlpSpan[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #isWell = true;

  constructor(settings: Settings, log: Log) {
    this.#settings = settings;
    this.#log = log;
  }

  add(span: OtlpSpan): void {
    if (this.#waiting.length < maxWaiting) this.#waiting.push(span);
    // Where many come, the pause is not waited for: they would be dropped.
    if (this.#isWell && this.#waiting.length >= maxSent) this.#start();
    else this.#schedule();
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#sending;
    clearTimeout(this.#timer);
    while (this.#isWell && this.#waiting.length > 0) await this.#send();
  }

  #schedule(): void {
    this.#timer ??= setTimeout(
      () => this.#start(),
      this.#isWell ? times.pause : times.rest,
    ).unref();
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
      if (this.#waiting.length > 0) this.#schedule();
    });
  }

  /** What is left then is little, and waits for more. */
  async #sendAll(): Promise<void> {
    do await this.#send();
    while (this.#isWell && this.#waiting.length >= maxSent);
  }

  async #send(): Promise<void> {
    const { service } = this.#settings;
    const resource = { attributes: [{ key: 'service.name', value: { stringValue: service } }] };
    const scopeSpans = [{ scope: { name: 'sales-crm' }, spans: this.#waiting.splice(0, maxSent) }];
    const failure = await this.#post(JSON.stringify({ resourceSpans: [{ resource, scopeSpans }] }));
    if (failure !== undefined && this.#isWell)
      this.#log.warn({ reason: failure }, 'traces cannot be sent for now');
    this.#isWell = failure === undefined;
  }

  /** @returns why it was not taken */
  async #post(body: string): Promise<string | undefined> {
    const headers = { ...this.#settings.headers, 'content-type': 'application/json' };
    const signal = AbortSignal.timeout(times.limit);
    try {
      const answer = await fetch(this.#settings.url, { method: 'POST', body, headers, signal });
      await answer.body?.cancel();
      return answer.ok ? undefined : `answered ${answer.status}`;
    } catch (error) {
      return String(Object(error).cause ?? error);
    }
  }
}
