import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { busyConnections, defaultPoolSize } from './connections.ts';
import { type Environment, environment } from './environment.ts';
import { minPasswordCost } from './strength.ts';

/** How TLS comes to the port: every variant is encrypted, `proxy` by someone in front of us. */
type Tls =
  | { readonly kind: 'self-signed' }
  | { readonly kind: 'files'; readonly certFile: string; readonly keyFile: string }
  | { readonly kind: 'proxy'; readonly trustedProxies: readonly string[] };

type DatabaseSource =
  | { readonly kind: 'embedded'; readonly dataDir: string }
  | {
      readonly kind: 'url';
      readonly url: string;
      /** The same database where sessions last, which migrations need: past a pooler. */
      readonly directUrl: string;
      /** Its standbys, for callers that let their reads come from one. */
      readonly readUrl: string | undefined;
    };

/** Everything that the environment decides, read once. */
export type Config = Readonly<ReturnType<typeof configOf>>;

/** The environment is invalid; `faults` has a line for each variable that is wrong. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`The configuration is not valid:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

type Variables = Readonly<Record<string, string>>;

/** Contradictions between variables, each of which may be right by itself. */
function contradictions(variables: Variables): string[] {
  const faults: string[] = [];
  const cert = variables.TLS_CERT_FILE !== undefined;
  const key = variables.TLS_KEY_FILE !== undefined;
  const proxy = variables.TLS === 'proxy';
  if (cert !== key) {
    faults.push('TLS_CERT_FILE and TLS_KEY_FILE must be set together, or neither');
  }
  if (proxy && (cert || key)) faults.push('TLS=proxy excludes TLS_CERT_FILE and TLS_KEY_FILE');
  if (proxy && variables.TRUSTED_PROXIES === undefined) {
    faults.push('TRUSTED_PROXIES must name the proxies (addresses or networks) with TLS=proxy');
  }
  if (!proxy && variables.TRUSTED_PROXIES !== undefined) {
    faults.push('TRUSTED_PROXIES means nothing without TLS=proxy');
  }
  if (variables.NODE_ENV === 'production' && !proxy && !cert && !key) {
    faults.push('TLS_CERT_FILE and TLS_KEY_FILE must be set in production, or TLS=proxy');
  }
  if (variables.NODE_ENV === 'production' && Number(variables.PASSWORD_COST) < minPasswordCost) {
    faults.push(`PASSWORD_COST must be at least ${minPasswordCost} in production`);
  }
  for (const name of ['JWT_SECRET', 'JWT_SECRET_PREVIOUS']) {
    if (variables[name] !== undefined && variables[`${name}_FILE`] !== undefined) {
      faults.push(`${name} and ${name}_FILE exclude each other`);
    }
  }
  const secret = variables.JWT_SECRET ?? variables.JWT_SECRET_FILE;
  if (variables.DATABASE_URL !== undefined && secret === undefined) {
    faults.push(
      'JWT_SECRET or JWT_SECRET_FILE must be set with DATABASE_URL, the same for every process on it',
    );
  }
  for (const name of ['DIRECT_DATABASE_URL', 'DATABASE_READ_URL']) {
    if (variables.DATABASE_URL === undefined && variables[name] !== undefined) {
      faults.push(`${name} means nothing without DATABASE_URL`);
    }
  }
  if (variables.ADMIN_PORT !== undefined && variables.ADMIN_PORT !== '0') {
    if (variables.ADMIN_PORT === (variables.PORT ?? '8443'))
      faults.push('ADMIN_PORT must differ from PORT');
  }
  return faults;
}

function tls(values: Environment): Tls {
  if (values.TLS === 'proxy') {
    return { kind: 'proxy', trustedProxies: values.TRUSTED_PROXIES ?? [] };
  }
  const { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile } = values;
  return certFile !== undefined && keyFile !== undefined
    ? { kind: 'files', certFile: resolve(certFile), keyFile: resolve(keyFile) }
    : { kind: 'self-signed' };
}

/**
 * Reads the whole configuration. A variable that is set to blanks counts as unset, because
 * that is how compose files and CI leave one out.
 * @param env variables by name, as in `process.env`; others are ignored
 * @returns a frozen Config; paths are absolute
 * @throws {ConfigError} with every fault at once; none repeats a value, which may be a secret
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const variables = withoutBlanks(env);
  const result = environment.safeParse(variables);
  const faults = [
    ...(result.error?.issues ?? []).map((issue) => `${issue.path.join('.')} ${issue.message}`),
    ...contradictions(variables),
  ];
  if (!result.success || faults.length > 0) throw new ConfigError(faults);
  return Object.freeze(configOf(result.data));
}

function configOf(values: Environment) {
  const production = values.NODE_ENV === 'production';
  // The embedded database wants its part of the cores.
  const workers =
    values.WORKERS ?? (values.DATABASE_URL === undefined ? 1 : availableParallelism());
  const poolSize = values.DATABASE_POOL ?? defaultPoolSize(workers);
  return {
    production,
    host: values.HOST,
    port: values.PORT,
    /** The origin where browsers reach the service; undefined: where each request did. */
    publicUrl: values.PUBLIC_URL,
    /** Origins whose pages may call the service with a token. */
    allowedOrigins: values.ALLOWED_ORIGINS,
    /** Whom to tell of a hole, as a URL; undefined: nobody is named. */
    securityContact: values.SECURITY_CONTACT,
    /** Where health and metrics are served in plain HTTP; undefined when nowhere. */
    adminPort: values.ADMIN_PORT,
    adminHost: values.ADMIN_HOST,
    /** Where spans are sent; undefined: nowhere. */
    tracing: tracing(values),
    /** Connections of clients to one process. */
    maxConnections: values.MAX_CONNECTIONS,
    /** Processes that share the port. */
    workers,
    database: Object.freeze({
      ...source(values),
      /** Connections at most. */
      poolSize,
      /**
       * How many of them short reads are spread over before they share one: all that can be busy but one, which
       * others find free. Workers divide them, because a read costs more the fewer share.
       */
      spreadOver: Math.max(1, Math.floor((Math.min(poolSize, busyConnections) - 1) / workers)),
      statementTimeoutMs: Math.min(values.STATEMENT_TIMEOUT, values.REQUEST_TIMEOUT) * 1000,
    }),
    /** Whether the service applies migrations when it starts, or leaves that to others. */
    migrate: values.MIGRATE === 'on',
    /** Absolute path of what the service keeps: embedded database, certificate, secret. */
    dataDir: resolve(values.DATA_DIR),
    /** Signs tokens, or the file of what does; both undefined: made once and kept in the data directory. */
    jwtSecret: values.JWT_SECRET,
    jwtSecretFile: optionalPath(values.JWT_SECRET_FILE),
    /** Secrets whose tokens are still taken, and a file of more. */
    jwtSecretsPrevious: values.JWT_SECRET_PREVIOUS ?? [],
    jwtSecretsPreviousFile: optionalPath(values.JWT_SECRET_PREVIOUS_FILE),
    /** Lifetime of a new token in seconds; null: for ever. */
    tokenTtl: values.TOKEN_TTL,
    /** How long entries of the audit trail are kept at least, in seconds; null: for ever. */
    auditRetention: values.AUDIT_RETENTION,
    tls: Object.freeze(tls(values)),
    /** Bytes of a request's body at most. */
    bodyLimit: values.BODY_LIMIT,
    /** Bytes of an account's answers to requests with a key that are stored at most. */
    storedAnswers: values.STORED_ANSWERS,
    /** What the hash of a new password costs: N of scrypt. */
    passwordCost: values.PASSWORD_COST,
    /** Requests per minute and token; null: as many as come. */
    rateLimit: values.RATE_LIMIT,
    /** Whether this process sends to webhooks, or leaves that to others. */
    webhookDelivery: values.WEBHOOK_DELIVERY === 'on',
    /** Receivers of webhooks that need no https and no public address. */
    webhookAllow: values.WEBHOOK_ALLOW,
    logLevel: values.LOG_LEVEL,
    /** How long one request may take, from when it has come whole. */
    requestTimeoutMs: values.REQUEST_TIMEOUT * 1000,
    /** How long the port stays open once the process has to stop. */
    shutdownDelayMs: values.SHUTDOWN_DELAY * 1000,
    graphiql: values.GRAPHIQL === undefined ? !production : values.GRAPHIQL === 'on',
  };
}

function tracing({
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_HEADERS: headers,
  OTEL_SERVICE_NAME: service,
  OTEL_BSP_SCHEDULE_DELAY: delayMs,
  OTEL_TRACES_SAMPLER_ARG: ratio,
}: Environment) {
  if (endpoint === undefined) return undefined;
  return { url: `${endpoint.replace(/\/$/, '')}/v1/traces`, headers, service, delayMs, ratio };
}

const optionalPath = (path: string | undefined) => (path === undefined ? undefined : resolve(path));

function source(values: Environment): DatabaseSource {
  return values.DATABASE_URL === undefined
    ? { kind: 'embedded', dataDir: resolve(values.DATA_DIR) }
    : {
        kind: 'url',
        url: values.DATABASE_URL,
        directUrl: values.DIRECT_DATABASE_URL ?? values.DATABASE_URL,
        readUrl: values.DATABASE_READ_URL,
      };
}

function withoutBlanks(env: Readonly<Record<string, string | undefined>>): Variables {
  const variables: Record<string, string> = {};
  for (const [name, value = ''] of Object.entries(env)) {
    if (value.trim() !== '') variables[name] = value.trim();
  }
  return variables;
}
