/** The composition root: a Config in, a running service out. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { AccessWatch } from '../auth/access_watch.ts';
import { type Keys, keysOf } from '../auth/keys.ts';
import { setPasswordCost } from '../auth/passwords.ts';
import { secretsOf } from '../auth/secret.ts';
import { Sessions } from '../auth/sessions.ts';
import { SignInAttempts } from '../auth/sign_in_attempts.ts';
import { agreeOn } from '../auth/signing_secrets.ts';
import { Verifier } from '../auth/verifier.ts';
import type { Viewers } from '../auth/viewer.ts';
import type { Config } from '../config/config.ts';
import { busyConnections } from '../config/connections.ts';
import { connect, type DatabaseConnection } from '../db/connections/connect.ts';
import { warnOfConnections } from '../db/connections/connections.ts';
import type { Database, Queryable } from '../db/database.ts';
import { assertMigrated, isMigrated, migrate } from '../db/migrations/migrate.ts';
import type { DatabaseOptions } from '../db/open.ts';
import type { Clock } from '../delivery/claims.ts';
import { openDelivery } from '../delivery/delivery.ts';
import { addGraphql } from '../graphql/endpoint.ts';
import { introspectionOf } from '../graphql/guard/introspection.ts';
import { schema, sdl } from '../graphql/schema.ts';
import { addressOf } from '../http/address.ts';
import { adminOf } from '../http/admin.ts';
import { sourceOf } from '../http/authentication.ts';
import { tellReplica } from '../http/headers/preferences.ts';
import { addHealth, remembered } from '../http/health.ts';
import { affordable, Connections } from '../http/limits/connections.ts';
import { LoadShedder } from '../http/limits/load_shedder.ts';
import { LongRequests, parkedRequestOf } from '../http/limits/long_requests.ts';
import { UnreadResponses } from '../http/limits/unread_responses.ts';
import { refuseOtherMethods } from '../http/methods.ts';
import { addPages } from '../http/pages/pages.ts';
import { createServer } from '../http/server.ts';
import { addSession } from '../http/sign_in.ts';
import { certificateFor } from '../http/tls/certificate.ts';
import { watchCertificate } from '../http/tls/certificate_watch.ts';
import type { Top } from '../http/top.ts';
import { addMcp } from '../mcp/endpoint.ts';
import { keepMonths } from '../resources/audit/months.ts';
import { streamChanges } from '../resources/changes/stream.ts';
import { Watch } from '../resources/changes/watch.ts';
import { ErasureWorker } from '../resources/erasures/worker.ts';
import { DueEvents } from '../resources/events/due.ts';
import { openExport } from '../resources/exports/export.ts';
import { foldRows, keyContacts } from '../resources/folding/fold_rows.ts';
import { Idempotency } from '../resources/idempotency/once.ts';
import { keepAnswers } from '../resources/idempotency/prune.ts';
import { Housekeeper } from '../resources/kernel/housekeeper.ts';
import { signIn } from '../resources/sessions/sign_in.ts';
import { signOut } from '../resources/sessions/sign_out.ts';
import type { Visit } from '../resources/sessions/visit.ts';
import { redeemLink } from '../resources/users/redeem.ts';
import { addExports } from '../rest/export/register.ts';
import { documentation } from '../rest/openapi/parts.ts';
import { addRest } from '../rest/register.ts';
import type { Log } from '../telemetry/log.ts';
import { ownMetrics } from '../telemetry/metrics.ts';
import { startTracing } from '../telemetry/otlp.ts';
import { measureParts } from './measures.ts';
import { contextsOf } from './request_context.ts';
import { watchUse } from './top.ts';

export interface AppOptions {
  readonly log: Log;
  /** Runs when everything but the port is up; may fill an empty database. */
  readonly beforeListening?: (database: Database, keys: Keys) => Promise<void>;
  /** See {@link DatabaseOptions}. */
  readonly onStatement?: DatabaseOptions['onStatement'];
  /** Told what is begun, where that may take seconds. */
  readonly onStep?: (doing: string) => void;
  /** By which deliveries to webhooks are due; the database's own unless given. */
  readonly clock?: () => Clock;
  /** Told of every route that the port has. */
  readonly onRoute?: (method: string, url: string) => void;
}

export interface App {
  /** Where it listens: `https://127.0.0.1:8443`. */
  readonly url: string;
  /** See {@link addHealth}. */
  obstacle(): Promise<string | null>;
  /** Who has used most of late. */
  top(): Top;
  /**
   * Is not ready from now on. After the configured delay takes no new connections, lets requests in
   * flight finish, and stops the embedded database. Safe to call again.
   */
  close(): Promise<void>;
}

/** Enough requests to keep each connection that has work busy, with a few milliseconds' work queued. */
const requestsPerConnection = 10;

/** Descriptors that the process needs besides clients' and database connections. */
const otherDescriptors = 64;

/** Leaves the embedded database time to stop, so that the process exits within ten seconds. */
const graceMs = 5500;

/**
 * Starts the whole service: database, migrations, port.
 * @throws when any part does not start; the parts that did are stopped again
 */
export async function startApp(config: Config, options: AppOptions): Promise<App> {
  const { log, onStatement, onStep } = options;
  setPasswordCost(config.passwordCost);
  const isEmbedded = config.database.kind === 'embedded';
  onStep?.(isEmbedded ? `Starting PostgreSQL in ${config.dataDir}` : 'Connecting to PostgreSQL');
  const prepare = (url: string) => {
    if (!config.migrate) return assertMigrated(url);
    onStep?.('Applying migrations');
    return migrate(url);
  };
  const connected = await connect(config, prepare, {
    onSlow: (slow) => log.warn(slow, 'a statement took long'),
    onConnectionError: ({ message }) =>
      log.warn({ reason: message }, 'a database connection broke'),
    ...(onStatement ? { onStatement } : {}),
  });
  try {
    await warnOfConnections(config, connected.database, log);
    const parts = await partsOf(config, connected, options);
    return await listen(parts, options).catch(async (error: unknown) => {
      await stop(parts);
      throw error;
    });
  } catch (error) {
    await connected.close();
    throw error;
  }
}

type Parts = Awaited<ReturnType<typeof partsOf>>;

/** What the service is made of, before it takes requests. */
async function partsOf(config: Config, connected: DatabaseConnection, { log, clock }: AppOptions) {
  const { database } = connected;
  const keys = await agreeOn(database, keysOf(await secretsOf(config)));
  const tls = await certificateFor(config);
  const { poolSize } = config.database;
  /** For work of no account, in the time that a request has. */
  const timely = () =>
    database.of({ account: undefined, until: performance.now() + config.requestTimeoutMs });
  const asking: Queryable = { query: (...args) => timely().query(...args) };
  const verifier = new Verifier(asking, keys);
  const sessions = new Sessions(asking);
  const viewers: Viewers = {
    forget: (...whom) => {
      verifier.forget(...whom);
      sessions.forget(...whom);
    },
  };
  const watch = new Watch(database);
  const deliveries = openDelivery(config, { db: database, watch, log, clock });
  const standing = new AccessWatch(database);
  const bound = new LoadShedder(Math.min(poolSize, busyConnections) * requestsPerConnection, log);
  const max = Math.min(config.maxConnections, affordable(poolSize + otherDescriptors));
  const connections = new Connections(max);
  const answers = new UnreadResponses();
  const parking = new LongRequests(bound, standing, parkedRequestOf(max));
  const stopTracing = startTracing(config, log);
  const server = createServer({ config, log, tls, bound, answers, connections });
  return {
    log,
    config,
    connected,
    keys,
    tls,
    timely,
    verifier,
    sessions,
    viewers,
    watch,
    deliveries,
    standing,
    bound,
    connections,
    answers,
    parking,
    server,
    stopTracing,
    use: watchUse(server, database),
    idempotency: new Idempotency(keys, { maxBytes: config.storedAnswers }),
    contexts: contextsOf({ config, keys, viewers, deliveries, watch, answers, parking }, connected),
    certificates: watchCertificate(config, server, tls, log),
    erasures: new ErasureWorker(database, log),
    dueEvents: new DueEvents(database, log, deliveries.notify),
    keeper: new Housekeeper(
      log,
      keepMonths(database, config.auditRetention),
      keepAnswers(database),
      foldRows(database),
      keyContacts(database),
    ),
  };
}

async function listen(parts: Parts, options: AppOptions): Promise<App> {
  const { log, config, connected, keys, tls, deliveries, connections, keeper, server } = parts;
  let closing: Promise<void> | undefined;
  const migrated = remembered(() => isMigrated(connected.probe));
  const obstacle = async () => {
    if (closing) return 'shutting down';
    return (await migrated()) ? null : 'migrations pending';
  };
  const refuseOthers = refuseOtherMethods(server);
  server.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat()) options.onRoute?.(one, url);
  });
  addHealth(server, obstacle);
  await addInterfaces(parts);
  refuseOthers();
  await options.beforeListening?.(connected.database, keys);
  await server.listen({ host: config.host, port: config.port });
  const url = addressOf(server, config, tls ? 'https' : 'http');
  log.info(`listening at ${url}`);
  const top = async () => parts.use.top();
  const admin = await adminOf(config, { obstacle, metrics: ownMetrics, top });
  deliveries.wake();
  keeper.start();
  parts.erasures.start();
  parts.dueEvents.start();
  const close = async () => {
    connections.dismiss();
    await sleep(config.shutdownDelayMs);
    await connections.acceptNone();
    await stop(parts);
    await admin?.close();
    await connected.close();
  };
  return { url, obstacle, top: parts.use.top, close: () => (closing ??= close()) };
}

async function addInterfaces(parts: Parts): Promise<void> {
  const { log, config, connected, server, verifier, sessions, viewers, contexts, answers } = parts;
  if (connected.replica) tellReplica(server);
  const { answer: once } = parts.idempotency;
  if (config.adminPort !== undefined) measureParts(parts);
  const contextOf = contexts.rest;
  addRest(server, { verifier, contextOf, follow: streamChanges, answers, once });
  addExports(server, { verifier, sessions, contextOf, answers, open: openExport });
  await addGraphql(server, {
    log,
    verifier,
    sessions,
    contextOf: contexts.client,
    watchingContextOf: contexts.watching,
    introspection: config.graphiql,
    answers,
    once,
  });
  addMcp(server, { verifier, contexts, once, keys: parts.keys, config });
  const attempts = new SignInAttempts();
  const visitOf = (request: FastifyRequest): Visit => ({
    db: parts.timely(),
    requestId: request.id,
    now: new Date(),
    attempts,
    ...sourceOf(request),
  });
  addSession(server, {
    sessions,
    open: (request, body) =>
      body.code === undefined
        ? signIn(visitOf(request), body)
        : redeemLink(visitOf(request), viewers, body),
    end: (request, viewer) => signOut(visitOf(request), viewers, viewer),
  });
  const introspection = () => introspectionOf(schema);
  const { graphiql, securityContact } = config;
  addPages(server, { documentation, graphiql, sdl, introspection, verifier, securityContact });
}

/** Takes nothing new, lets what is at work finish, and stops each part, begun or not. */
async function stop(parts: Parts): Promise<void> {
  parts.certificates?.stop();
  parts.use.close();
  parts.parking.close();
  parts.keeper.stop();
  const delivered = parts.deliveries.close();
  const cut = setTimeout(() => parts.connections.destroy(), graceMs);
  await parts.server.close();
  clearTimeout(cut);
  await parts.erasures.close();
  await parts.dueEvents.close();
  parts.watch.close();
  parts.standing.close();
  await delivered;
  await Promise.all([parts.verifier.close(), parts.sessions.close()]);
  await parts.stopTracing();
}
