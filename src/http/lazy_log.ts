import type { FastifyBaseLogger } from 'fastify';

/**
 * A log that is created when something is first logged, and so are its children, of which Fastify gives one
 * to each request: nearly all requests log nothing, and creating a child logger costs as much as everything
 * else that the listener does for a request.
 */
export class LazyLog implements FastifyBaseLogger {
  readonly #make: () => FastifyBaseLogger;
  #made: FastifyBaseLogger | undefined;

  constructor(make: () => FastifyBaseLogger) {
    this.#make = make;
  }

  get #log(): FastifyBaseLogger {
    this.#made ??= this.#make();
    return this.#made;
  }

  get level(): FastifyBaseLogger['level'] {
    return this.#log.level;
  }

  set level(level: FastifyBaseLogger['level']) {
    this.#log.level = level;
  }

  child(...bindings: Parameters<FastifyBaseLogger['child']>): FastifyBaseLogger {
    return this.childOf(() => bindings);
  }

  /** @param bindings found out when something is first logged */
  childOf(bindings: () => Parameters<FastifyBaseLogger['child']>): FastifyBaseLogger {
    return new LazyLog(() => this.#log.child(...bindings()));
  }

  fatal(...said: unknown[]): void {
    Reflect.apply(this.#log.fatal, this.#log, said);
  }

  error(...said: unknown[]): void {
    Reflect.apply(this.#log.error, this.#log, said);
  }

  warn(...said: unknown[]): void {
    Reflect.apply(this.#log.warn, this.#log, said);
  }

  info(...said: unknown[]): void {
    Reflect.apply(this.#log.info, this.#log, said);
  }

  debug(...said: unknown[]): void {
    Reflect.apply(this.#log.debug, this.#log, said);
  }

  trace(...said: unknown[]): void {
    Reflect.apply(this.#log.trace, this.#log, said);
  }

  silent(...said: unknown[]): void {
    Reflect.apply(this.#log.silent, this.#log, said);
  }
}
