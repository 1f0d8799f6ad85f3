/** What the process tells Prometheus. */
import type { FastifyInstance } from 'fastify';
import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Histogram,
  register,
} from 'prom-client';

/** Of one process, in Prometheus's text format. */
export const ownMetrics = (): Promise<string> => register.metrics();

/** Of all workers together; asked by the process that started them. */
export function workersMetrics(): () => Promise<string> {
  const all = new AggregatorRegistry();
  return () => all.clusterMetrics();
}

/**
 * Measures every request that came to a route, by method, route (as it is declared, without ids)
 * and status.
 * @param overload counts the requests that were refused, most of them before they came to a route
 */
export function measureRequests(
  server: FastifyInstance,
  overload: { readonly refused: number },
): void {
  register.clear();
  collectDefaultMetrics();
  // Workers answer the process that collects; the registry that listens is this one's.
  new AggregatorRegistry();
  const seconds = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  });
  new Counter({
    name: 'http_requests_refused_total',
    help: 'Requests that were answered with 503 because there were too many at once',
    collect() {
      this.reset();
      this.inc(overload.refused);
    },
  });
  server.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown';
    const labels = { method: request.method, route, status: reply.raw.statusCode };
    seconds.observe(labels, reply.elapsedTime / 1000);
  });
}
