import cluster from 'node:cluster';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Viewer } from '../../auth/viewer.ts';
import { codes, TooMany } from '../../errors/errors.ts';
import { Counters, isQuotaReply, type QuotaRequest, type Share, WorkerQuota } from './allowance.ts';
import { RefusalPause } from './refusal_pause.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether requests of the route count; they do unless it is false. */
    readonly isCounted?: boolean;
  }
}

const callerOf = ({ tokenId, sessionId }: Viewer) =>
  tokenId === null ? `session ${sessionId}` : `token ${tokenId}`;

/**
 * Takes one request of a caller, in this process if it has no others beside it, else in the one that counts for
 * all workers of the machine.
 */
function taking(perMinute: number, workers: number): (caller: string) => Share | Promise<Share> {
  if (!cluster.isWorker || workers === 1) {
    const allowances = new Counters(perMinute);
    return (caller) => allowances.take(caller, 1);
  }
  const shares = new WorkerQuota((request: QuotaRequest) => {
    // A supervisor that is gone takes its workers with it.
    process.send?.(request, undefined, undefined, () => undefined);
  });
  process.on('message', (message) => {
    if (isQuotaReply(message)) shares.receive(message);
  });
  return (caller) => shares.take(caller);
}

/**
 * Limits the requests of one token or session, or of one address on routes without tokens, and tells callers
 * with a token how many are left (RateLimit header fields for HTTP, an IETF draft). Requests that are refused
 * for their token are not counted; what is refused here is held back, so that asking on costs others little.
 * @param perMinute requests per minute; null for no limit
 * @param workers how many processes of this machine share the limit
 */
export function limitRate(
  server: FastifyInstance,
  perMinute: number | null,
  workers: number,
): void {
  if (perMinute === null) return;
  const take = taking(perMinute, workers);
  const pause = new RefusalPause();
  const policy = `"default";q=${perMinute};w=60`;
  const tell = (reply: FastifyReply, isCaller: boolean, { given, left, until }: Share) => {
    const seconds = Math.max(1, Math.ceil((until - Date.now()) / 1000));
    if (isCaller) {
      reply
        .header('ratelimit-policy', policy)
        .header('ratelimit', `"default";r=${left};t=${seconds}`);
    }
    return given > 0 ? undefined : new TooMany(seconds, codes.TOO_MANY_REQUESTS.summary);
  };
  // It is known by now who calls, and not yet asked whether they may.
  server.addHook('preParsing', (request, reply, payload, done) => {
    const { viewer, ip } = request;
    if (request.is404 || request.routeOptions.config.isCounted === false)
      return done(null, payload);
    const share = take(viewer ? callerOf(viewer) : ip);
    const go = (share: Share) => {
      const refusal = tell(reply, viewer !== undefined, share);
      if (!refusal) return done(null, payload);
      const refuse = () => done(refusal);
      // Behind one that is held back another waits by itself.
      if (!pause.hold(request.raw.socket, refuse)) refuse();
    };
    if (share instanceof Promise) share.then(go, done);
    else go(share);
  });
}
