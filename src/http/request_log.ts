import type { FastifyBaseLogger, FastifyRequest } from 'fastify';

/**
 * The log of a request, whose lines have its id and that of its trace. It is made where something is logged, as nearly no
 * request does: that costs as much as everything else that the listener does for one.
 */
export function logOf({ log, id, trace, routeOptions }: FastifyRequest): FastifyBaseLogger {
  const { logLevel } = routeOptions;
  return log.child({ reqId: id, trace_id: trace?.id }, logLevel ? { level: logLevel } : {});
}
