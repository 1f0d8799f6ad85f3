/** Metrics for Prometheus. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { FastifyInstance } from 'fastify';
import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Histogram,
  Registry,
  register,
} from 'prom-client';
import { addFamilies, type Family, single } from './families.ts';

/** What is the same for all processes, such as what the database holds: one of them is asked for it. */
const shared = new Registry();

/** Of one process, in Prometheus's text format. */
export const ownMetrics = (): Promise<string> => Registry.merge([register, shared]).metrics();

/** The same as objects, for {@link workersMetrics}. */
export async function ownMeasures({ withShared = false } = {}): Promise<readonly object[]> {
  const registers = withShared ? [register, shared] : [register];
  return (await Promise.all(registers.map((one) => one.getMetricsAsJSON()))).flat();
}

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
 * and status, and the process itself. What was measured before is forgotten.
 * @param overload counts the requests that were refused, some of them before they came to a route
 * @param answers what clients have not read, in bytes, and the answers that were given up for it
 */
export function measureRequests(
  server: FastifyInstance,
  overload: { readonly refused: number; readonly refusedShares: number },
  answers: { readonly held: number; readonly abandoned: number },
): void {
  register.clear();
  shared.clear();
  collectDefaultMetrics();
  addFamilies(register, processFamilies());
  const seconds = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its answer',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  });
  measure([
    {
      name: 'http_requests_refused_total',
      help: 'Requests that were answered with 503 because there were too many at once',
      type: 'counter',
      read: () => single(overload.refused),
    },
    {
      name: 'http_requests_refused_share_total',
      help: 'Requests among them whose account had its share of the places while others were at work',
      type: 'counter',
      read: () => single(overload.refusedShares),
    },
    {
      name: 'http_answers_unread_bytes',
      help: 'Bytes of answers that their clients have not taken yet',
      type: 'gauge',
      read: () => single(answers.held),
    },
    {
      name: 'http_answers_abandoned_total',
      help: 'Connections that were ended because their client did not read its answer',
      type: 'counter',
      read: () => single(answers.abandoned),
    },
  ]);
  server.addHook('onResponse', (request, reply, done) => {
    const labels = {
      http_request_method: request.method,
      http_route: request.routeOptions.url ?? 'unknown',
      http_response_status_code: reply.raw.statusCode,
    };
    seconds.observe(labels, reply.elapsedTime / 1000);
    done();
  });
}

/**
 * Measures what a process counts.
 * @param families after {@link measureRequests}, which begins anew
 */
export const measure = (families: readonly Family[]): void => addFamilies(register, families);

/** Measures what all processes of one database have in common. */
export const measureShared = (families: readonly Family[]): void => addFamilies(shared, families);

/**
 * Measures how many connections of clients there are, and how many were closed for others.
 * @param connections after {@link measureRequests}, which begins anew
 */
export function measureConnections(connections: {
  readonly open: number;
  readonly closed: number;
}): void {
  measure([
    {
      name: 'http_connections_open',
      help: 'Connections of clients',
      type: 'gauge',
      read: () => single(connections.open),
    },
    {
      name: 'http_connections_closed_total',
      help: 'Idle connections that were closed because there were too many',
      type: 'counter',
      read: () => single(connections.closed),
    },
  ]);
}

/** How late timers of the process are, and how much memory V8 uses of what it may. */
function processFamilies(): readonly Family[] {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const worst = { type: 'gauge', aggregator: 'max' } as const;
  return [
    {
      ...worst,
      name: 'nodejs_eventloop_delay_p99_seconds',
      help: 'How late the event loop was since the last look, of all workers the one that was latest',
      read: () => single(delay.percentile(99) / 1e9),
    },
    {
      ...worst,
      name: 'nodejs_eventloop_delay_max_seconds',
      help: 'How late the event loop was at most since the last look',
      read: () => {
        const { max } = delay;
        delay.reset();
        return single(max / 1e9);
      },
    },
    {
      ...worst,
      name: 'v8js_memory_heap_used_bytes',
      help: "Bytes of V8's heap in use, of all workers the one with most",
      read: () => single(getHeapStatistics().used_heap_size),
    },
    {
      ...worst,
      name: 'v8js_memory_heap_limit_bytes',
      help: "Bytes that V8's heap may have in one worker",
      read: () => single(getHeapStatistics().heap_size_limit),
    },
  ];
}
