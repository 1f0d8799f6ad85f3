/** The composition root: a Config in, a running service out. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { type Keys, keysOf } from './auth/keys.ts';
import { secretsOf } from './auth/secret.ts';
import { Sessions } from './auth/sessions.ts';
import { SignInAttempts } from './auth/sign_in_attempts.ts';
import { agreeOn } from './auth/signing_secrets.ts';
import { Standing } from './auth/standing.ts';
import { Verifier } from './auth/verifier.ts';
import type { Viewers } from './auth/viewer.ts';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { type Connected, connect } from './db/connect.ts';
import { warnOfConnections } from './db/connections.ts';
import type { Database, DatabaseOptions, Queryable } from './db/database.ts';
import { assertMigrated, isMigrated, migrate } from './db/migrate.ts';
import type { Clock } from './delivery/claims.ts';
import { openDelivery } from './delivery/delivery.ts';
import { addGraphql } from './graphql/endpoint.ts';
import { schema, sdl } from './graphql/schema.ts';
import { adminOf } from './http/admin.ts';
import { Answers } from './http/answers.ts';
import { certificateFor } from './http/certificate.ts';
import { watchCertificate } from './http/certificate_watch.ts';
import { affordable, Connections } from './http/connections.ts';
import { addHealth, remembered } from './http/health.ts';
import { HeldAnswers, heldOf } from './http/held.ts';
import { refuseOtherMethods } from './http/methods.ts';
import { pageNoted, versionNoted } from './http/noted.ts';
import { LoadBound } from './http/overload.ts';
import { addConsole } from './http/pages/console.ts';
import { addDocs } from './http/pages/docs.ts';
import { addGraphiql } from './http/pages/graphiql.ts';
import { addSchema } from './http/pages/schema.ts';
import { allowsReplica, countRead, tellReplica } from './http/preferences.ts';
import { createServer } from './http/server.ts';
import { addSession } from './http/session.ts';
import { sourceOf, viewerOf } from './http/viewer.ts';
import { keepMonths } from './resources/audit/months.ts';
import { streamChanges } from './resources/changes/stream.ts';
import { Watch } from './resources/changes/watch.ts';
import { openExport } from './resources/exports/export.ts';
import { Idempotency } from './resources/idempotency/once.ts';
import { keepAnswers } from './resources/idempotency/prune.ts';
import { Housekeeper } from './resources/kernel/housekeeper.ts';
import { signIn } from './resources/sessions/sign_in.ts';
import { signOut } from './resources/sessions/sign_out.ts';
import type { Visit } from './resources/sessions/visit.ts';
import { redeemLink } from './resources/users/redeem.ts';
import { addExports } from './rest/export/register.ts';
import { openapi } from './rest/openapi/document.ts';
import { addRest } from './rest/register.ts';
import type { Log } from './telemetry/log.ts';
import {
  measureConnections,
  measureHeld,
  measureRequests,
  ownMetrics,
} from './telemetry/metrics.ts';

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
  /**
   * Is not ready from now on. After the configured delay takes no new connections, lets requests in
   * flight finish, and stops the embedded database. Safe to call again.
   */
  close(): Promise<void>;
}

/** Enough requests to keep each database connection busy, with a few milliseconds' work queued. */
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
  const { kind } = config.database;
  onStep?.(
    kind === 'embedded' ? `Starting PostgreSQL in ${config.dataDir}` : 'Connecting to PostgreSQL',
  );
  const prepare = (url: string) => {
    if (!config.migrate) return assertMigrated(url);
    onStep?.('Applying migrations');
    return migrate(url);
  };
  const connected = await connect(config, prepare, {
    onConnectionError: ({ message }) =>
      log.warn({ reason: message }, 'a database connection broke'),
    ...(onStatement ? { onStatement } : {}),
  });
  try {
    await warnOfConnections(config, connected.database, log);
    return await listen(config, connected, options);
  } catch (error) {
    await connected.close();
    throw error;
  }
}

async function listen(config: Config, connected: Connected, options: AppOptions): Promise<App> {
  const { database, probe, replica } = connected;
  const { requestTimeoutMs } = config;
  const timely: Queryable = {
    query: (...asked) =>
      database.of(undefined, performance.now() + requestTimeoutMs).query(...asked),
  };
  const keys = await agreeOn(database, keysOf(await secretsOf(config)));
  const signing = { keys, ttl: config.tokenTtl };
  const verifier = new Verifier(timely, keys);
  const sessions = new Sessions(timely);
  const viewers: Viewers = {
    forget: (...whom) => {
      verifier.forget(...whom);
      sessions.forget(...whom);
    },
  };
  const tls = await certificateFor(config);
  const watch = new Watch(database);
  const deliveries = openDelivery(config, {
    db: database,
    watch,
    log: options.log,
    clock: options.clock,
  });
  const bound = new LoadBound(config.database.poolSize * requestsPerConnection, options.log);
  const standing = new Standing(database);
  const answers = new Answers();
  const most = Math.min(
    config.maxConnections,
    affordable(config.database.poolSize + otherDescriptors),
  );
  const connections = new Connections(most);
  const held = new HeldAnswers(bound, standing, heldOf(most));
  const server = createServer({
    config,
    log: options.log,
    tls,
    bound,
    answers,
    connections,
  });
  const refuseOthers = refuseOtherMethods(server);
  server.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat()) options.onRoute?.(one, url);
  });
  let closing: Promise<void> | undefined;
  const migrated = remembered(() => isMigrated(probe));
  const obstacle = async () => {
    if (closing) return 'shutting down';
    return (await migrated()) ? null : 'migrations pending';
  };
  addHealth(server, obstacle);
  if (config.adminPort !== undefined) {
    measureRequests(server, bound, answers);
    measureConnections(connections);
    measureHeld(held);
  }
  if (replica) tellReplica(server);
  const databaseFor = (request: FastifyRequest, account: number, until: number): Database => {
    const own = database.of(account, until);
    if (!replica || !allowsReplica(request)) return own;
    return replica.reading({ account, until }, own, (fromStandby) =>
      countRead(request, fromStandby ? 'replica' : 'primary'),
    );
  };
  const contextOf = (request: FastifyRequest, dbFor = databaseFor): Context => {
    const viewer = viewerOf(request);
    // The time in which its client sends the body is not the request's.
    const until = performance.now() + requestTimeoutMs - request.identifyingMs;
    return {
      viewer,
      viewers,
      deliveries,
      signing,
      db: dbFor(request, viewer.accountId, until),
      requestId: request.id,
      origin: config.publicUrl ?? `https://${request.host}`,
      source: () => sourceOf(request),
      now: new Date(),
      ownSelection: true,
      searches: 'specified',
      misplaced: [],
      noteVersion: versionNoted(request),
      notePage: pageNoted(request),
      budget: answers.budgetOf(request, viewer.accountId, until),
      watch,
      hold: (ms) => held.hold(request, ms),
    };
  };
  const { answer: once } = new Idempotency(keys);
  addRest(server, { verifier, contextOf, follow: streamChanges, answers, once });
  addExports(server, { verifier, sessions, contextOf, answers, open: openExport });
  const clients = { ownSelection: false, searches: 'all', noteVersion: undefined } as const;
  await addGraphql(server, {
    verifier,
    sessions,
    contextOf: (request) => ({ ...contextOf(request), ...clients }),
    // A replica may not have yet what the watch has heard of.
    watchingContextOf: (request) => ({
      ...contextOf(request, (_, account, until) => database.of(account, until)),
      ...clients,
    }),
    introspection: config.graphiql,
    answers,
    once,
  });
  const attempts = new SignInAttempts();
  const visitOf = (request: FastifyRequest): Visit => ({
    db: database.of(undefined, performance.now() + requestTimeoutMs),
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
  addDocs(server, openapi());
  if (config.graphiql) addGraphiql(server, schema);
  addSchema(server, sdl, config.graphiql ? undefined : verifier);
  addConsole(server, config.graphiql);
  refuseOthers();
  await options.beforeListening?.(database, keys);
  await server.listen({
    host: config.host,
    port: config.port,
    // Fastify does not know of the TLS in the listener that it was given.
    listenTextResolver: (address) =>
      `listening at ${tls ? address.replace(/^http:/, 'https:') : address}`,
  });
  deliveries.wake();
  const months = keepMonths(database, config.auditRetention);
  const keeper = new Housekeeper(options.log, months, keepAnswers(database));
  keeper.start();
  const certificates = watchCertificate(config, server, tls, options.log);
  const admin = await adminOf(config, obstacle, ownMetrics).catch(async (error: unknown) => {
    certificates?.stop();
    keeper.stop();
    watch.close();
    await server.close();
    throw error;
  });
  const address = server.server.address();
  const port = typeof address === 'object' && address ? address.port : config.port;
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  const close = async () => {
    connections.dismiss();
    await sleep(config.shutdownDelayMs);
    certificates?.stop();
    held.close();
    keeper.stop();
    const delivered = deliveries.close();
    const cut = setTimeout(() => connections.destroy(), graceMs);
    await server.close();
    clearTimeout(cut);
    watch.close();
    standing.close();
    await admin?.close();
    await delivered;
    await verifier.close();
    await sessions.close();
    await connected.close();
  };
  return {
    url: `${tls ? 'https' : 'http'}://${host}:${port}`,
    obstacle,
    close: () => (closing ??= close()),
  };
}
