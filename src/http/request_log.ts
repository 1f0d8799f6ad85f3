import type { FastifyBaseLogger, FastifyRequest } from 'fastify';

/**
 * The log of a request, whose lines have its id and that of its trace. To be made only when something is logged, which is
 * rare: making one costs as much as everything else that the listener does for a request.
 */
export function logOf({ log, id, trace, routeOptions }: FastifyRequest): FastifyBaseLogger {
  const { logLevel } = routeOptions;
  return log.child({ reqId: id, trace_id: trace?.id }, logLevel ? { level: logLevel } : {});
}
