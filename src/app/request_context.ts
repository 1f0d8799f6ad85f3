/** What the use cases are given of a request. */
import type { FastifyRequest } from 'fastify';
import type { Keys } from '../auth/keys.ts';
import type { Viewers } from '../auth/viewer.ts';
import type { Config } from '../config/config.ts';
import type { Context, Deliveries, Watching } from '../context/context.ts';
import type { DatabaseConnection } from '../db/connections/connect.ts';
import type { Database } from '../db/database.ts';
import { measure } from '../db/time_spent.ts';
import { pageNoteOf, versionNoteOf } from '../http/answer_notes.ts';
import { sourceOf, viewerOf } from '../http/authentication.ts';
import { allowsReplica, countRead } from '../http/headers/preferences.ts';
import type { LongRequests } from '../http/limits/long_requests.ts';
import type { UnreadResponses } from '../http/limits/unread_responses.ts';
import { spentBy } from '../http/server_timing.ts';

/** What all requests share. */
export interface ServiceContext {
  readonly config: Config;
  readonly keys: Keys;
  readonly viewers: Viewers;
  readonly deliveries: Deliveries;
  readonly watch: Watching;
  readonly answers: UnreadResponses;
  readonly parking: LongRequests;
}

export interface Contexts {
  /** Of a route of the REST interface. */
  rest(request: FastifyRequest): Context;
  /** Of a client's GraphQL document. */
  client(request: FastifyRequest): Context;
  /**
   * Of one that is told of changes as they come, which reads from the primary: a replica may not have yet
   * what the watch has heard of.
   */
  watching(request: FastifyRequest): Context;
}

/** Of requests whose callers are known. */
export function contextsOf(
  shared: ServiceContext,
  { database, replica }: DatabaseConnection,
): Contexts {
  const { config, keys, viewers, deliveries, watch, answers, parking } = shared;
  const signing = { keys, ttl: config.tokenTtl };
  const fromPrimary = (request: FastifyRequest, account: number, until: number): Database => {
    const spent = spentBy(request);
    if (!spent) return database.of({ account, until, request });
    const onQueued = (ms: number) => {
      spent.queue += ms;
    };
    return measure(database.of({ account, until, onQueued, request }), spent);
  };
  const fromAnywhere: typeof fromPrimary = (request, account, until) => {
    const own = fromPrimary(request, account, until);
    if (!replica || !allowsReplica(request)) return own;
    return replica.reading({ account, until, request }, own, (fromStandby) =>
      countRead(request, fromStandby ? 'replica' : 'primary'),
    );
  };
  const contextOf = (request: FastifyRequest, databaseFor = fromAnywhere): Context => {
    const viewer = viewerOf(request);
    // The time in which its client sends the body is not the request's.
    const until = performance.now() + config.requestTimeoutMs - request.identifyingMs;
    return {
      viewer,
      viewers,
      deliveries,
      signing,
      db: databaseFor(request, viewer.accountId, until),
      requestId: request.id,
      trace: request.trace,
      origin: config.publicUrl ?? `https://${request.host}`,
      source: () => sourceOf(request),
      now: new Date(),
      ownSelection: true,
      searches: 'specified',
      misplaced: [],
      noteVersion: versionNoteOf(request),
      notePage: pageNoteOf(request),
      budget: answers.budgetOf(request, viewer.accountId, until),
      watch,
      hold: (ms) => parking.park(request, ms),
    };
  };
  const clients = { ownSelection: false, searches: 'all', noteVersion: undefined } as const;
  return {
    rest: (request) => contextOf(request),
    client: (request) => ({ ...contextOf(request), ...clients }),
    watching: (request) => ({ ...contextOf(request, fromPrimary), ...clients }),
  };
}
