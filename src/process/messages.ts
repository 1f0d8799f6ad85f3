/** What the supervisor and its workers send each other. */

/** Tells a worker to finish what it has in hand and exit. */
export const stopMessage = 'stop';

/** Says that a worker's event loop turns; it comes every {@link beatMs}. */
export const aliveMessage = 'alive';
export const beatMs = 500;

/** Asked of a worker, which answers with its {@link Health}. */
export const healthMessage = 'health';

export interface Health {
  /** Why the worker should get no requests; null when it should. */
  readonly obstacle: string | null;
}

export const isHealth = (message: unknown): message is Health =>
  typeof message === 'object' && message !== null && 'obstacle' in message;

/** Asked of a worker, which answers with who has used most of late. */
export const topMessage = 'top';

/** Asked of a worker, which answers with its {@link Measures}. */
export const metricsMessage = 'metrics';

/** The same, with what all processes have in common. */
export const allMetricsMessage = 'all metrics';

export interface Measures {
  /** The metrics of its registry, as objects. */
  readonly metrics: readonly object[];
}

export const isMeasures = (message: unknown): message is Measures =>
  typeof message === 'object' &&
  message !== null &&
  'metrics' in message &&
  Array.isArray(message.metrics);
