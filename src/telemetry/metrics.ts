/** Metrics for Prometheus. */
import type { FastifyInstance } from 'fastify';
import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  register,
} from 'prom-client';

/** Of one process, in Prometheus's text format. */
export const ownMetrics = (): Promise<string> => register.metrics();

/** The same as objects, for {@link workersMetrics}. */
export const ownMeasures = (): Promise<readonly object[]> => register.getMetricsAsJSON();

/**
 * Of all workers together; for the process that started them.
 * @param replacements how many workers were replaced so far, by why
 * @param collect asks the workers; those that do not answer are left out
 */
export function workersMetrics(
  replacements: Readonly<Record<string, number>>,
  collect: () => Promise<readonly (readonly object[])[]>,
): () => Promise<string> {
  new Counter({
    name: 'workers_replaced_total',
    help: 'Workers that were replaced, because they died or were frozen for seconds',
    labelNames: ['reason'],
    collect() {
      this.reset();
      for (const [reason, count] of Object.entries(replacements)) this.inc({ reason }, count);
    },
  });
  return async () => {
    const measured = await collect();
    const all = [...measured, await ownMeasures()].map((metrics) => [...metrics]);
    return AggregatorRegistry.aggregate(all).metrics();
  };
}

/**
 * Measures every request that came to a route, by method, route (as it is declared, without ids)
 * and status.
 * @param overload counts the requests that were refused, some of them before they came to a route
 * @param answers what clients have not read, in bytes, and the answers that were given up for it
 */
export function measureRequests(
  server: FastifyInstance,
  overload: { readonly refused: number; readonly refusedShares: number },
  answers: { readonly held: number; readonly abandoned: number },
): void {
  register.clear();
  collectDefaultMetrics();
  const seconds = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  });
  counter(
    'http_requests_refused_total',
    'Requests that were answered with 503 because there were too many at once',
    () => overload.refused,
  );
  counter(
    'http_requests_refused_share_total',
    'Requests among them whose account had its share of the places while others were at work',
    () => overload.refusedShares,
  );
  gauge(
    'http_answers_unread_bytes',
    'Bytes of answers that their clients have not taken yet',
    () => answers.held,
  );
  counter(
    'http_answers_abandoned_total',
    'Connections that were ended because their client did not read its answer',
    () => answers.abandoned,
  );
  server.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown';
    const labels = { method: request.method, route, status: reply.raw.statusCode };
    seconds.observe(labels, reply.elapsedTime / 1000);
    done();
  });
}

/**
 * Measures how many connections of clients there are, and how many were closed for others.
 * @param connections after {@link measureRequests}, which begins anew
 */
export function measureConnections(connections: {
  readonly open: number;
  readonly closed: number;
}): void {
  gauge('http_connections_open', 'Connections of clients', () => connections.open);
  counter(
    'http_connections_closed_total',
    'Idle connections that were closed because there were too many',
    () => connections.closed,
  );
}

/**
 * Measures how many answers are held back.
 * @param held after {@link measureRequests}, which begins anew
 */
export function measureHeld(held: { readonly open: number }): void {
  gauge(
    'http_answers_held_open',
    'Answers that wait for changes, event streams among them',
    () => held.open,
  );
}

/** A number that only grows, read when it is asked for. */
function counter(name: string, help: string, read: () => number): void {
  new Counter({
    name,
    help,
    collect() {
      this.reset();
      this.inc(read());
    },
  });
}

/** A number that goes up and down, read when it is asked for. */
function gauge(name: string, help: string, read: () => number): void {
  new Gauge({
    name,
    help,
    collect() {
      this.set(read());
    },
  });
}
