import { isIP } from 'node:net';
import * as z from 'zod';
import { readInteger } from '../lib/integer.ts';
import { type Access, parseDatabaseUrl } from './database_url.ts';
import { durationHint, durationSeconds } from './duration.ts';
import { readOrigin } from './origin.ts';
import { minPasswordCost, minSecretBytes } from './strength.ts';

/** A variable that `read` parses; undefined means that it cannot. */
const variable = <T>(hint: string, read: (text: string) => T | undefined) =>
  z.string().transform((text, context): T => {
    const value = read(text);
    if (value !== undefined) return value;
    context.addIssue(`must be ${hint}`);
    return z.NEVER;
  });

const integer = (min: number, max: number) =>
  variable(`an integer from ${min} to ${max}`, (text) => within(text, min, max));

function within(text: string, min: number, max: number): number | undefined {
  const value = readInteger(text);
  return value >= min && value <= max ? value : undefined;
}

const oneOf = <T extends string>(...choices: readonly T[]) =>
  variable(choices.join(', ').replace(/, ([^,]+)$/, ' or $1'), (text) =>
    choices.find((choice) => choice === text),
  );

const units: Readonly<Record<string, number>> = {
  '': 1,
  KIB: 1024,
  MIB: 1024 ** 2,
  GIB: 1024 ** 3,
};

/** `1048576`, `512KiB` or `1MiB`, in bytes. */
function readSize(text: string): number {
  const match = /^(\d{1,13}) ?([kmg]ib|)$/i.exec(text);
  return Number(match?.[1]) * (units[match?.[2]?.toUpperCase() ?? ''] ?? Number.NaN);
}

const size = (min: string, max: string) =>
  variable(`a number of bytes such as 1048576 or 1MiB, from ${min} to ${max}`, (text) => {
    const bytes = readSize(text);
    return bytes >= readSize(min) && bytes <= readSize(max) ? bytes : undefined;
  });

/** The text as it is, provided that it asks for this access or for none. */
const databaseUrl = (access: Access) =>
  variable(
    `a URL that begins with postgresql://, with target_session_attrs=${access} or without`,
    (text) => {
      const url = parseDatabaseUrl(text);
      return url && (url.access ?? access) === access ? text : undefined;
    },
  );

function readTimeout(text: string): number | undefined {
  const value = durationSeconds(text);
  return value !== undefined && value <= 3600 ? value : undefined;
}

function readList(text: string): readonly string[] | undefined {
  const items = text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  return items.length > 0 ? items : undefined;
}

/** As OpenTelemetry writes them: names and values are percent-encoded. */
function readHeaders(text: string): Readonly<Record<string, string>> | undefined {
  const pairs = (readList(text) ?? []).map((item) => item.split('='));
  if (!pairs.every(([name = '', ...value]) => /^[\w-]+$/.test(name) && value.length > 0)) {
    return undefined;
  }
  try {
    const decoded = pairs.map(([name = '', ...value]) => [
      name,
      decodeURIComponent(value.join('=')),
    ]);
    return Object.fromEntries(decoded);
  } catch {
    return undefined;
  }
}

/** Origins, as browsers write them. */
function readOrigins(text: string): readonly string[] | undefined {
  const origins = readList(text)?.map((item) =>
    item.includes('*') ? undefined : readOrigin(item),
  );
  return origins?.every((origin) => origin !== undefined) ? [...new Set(origins)] : undefined;
}

/** A URL by which people are reached (RFC 9116, 2.5.3). */
const readContact = (text: string): string | undefined =>
  URL.canParse(text) && /^(?:mailto:|tel:|https:\/\/)[!-~]+$/i.test(text) ? text : undefined;

/** Addresses, networks, and hosts with a port or without. */
function readReceivers(text: string): readonly string[] | undefined {
  const items = readList(text);
  const isReceiver = (item: string) =>
    isIP(item) !== 0 || isNetwork(item) || /^(\[[\da-f:.]+\]|[\w.-]+)(:\d{1,5})?$/i.test(item);
  return items?.every(isReceiver) ? items.map((item) => item.toLowerCase()) : undefined;
}

function isNetwork(text: string): boolean {
  const [, address = '', bits] = /^(.+)\/(\d{1,3})$/.exec(text) ?? [];
  const max = { 4: 32, 6: 128 }[isIP(address)];
  return max !== undefined && Number(bits) <= max;
}

const isSecret = (text: string): boolean => Buffer.byteLength(text) >= minSecretBytes;

const readSecret = (text: string): string | undefined => (isSecret(text) ? text : undefined);

/**
 * Secrets, separated by commas or line ends. A secret may itself hold a comma: a line is not split where a
 * part would be too short for a secret.
 * @returns undefined when one is too short
 */
export function readSecrets(text: string): readonly string[] | undefined {
  const secrets = text.split('\n').flatMap((line) => {
    const parts = readList(line) ?? [];
    return parts.every(isSecret) ? parts : [line.trim()];
  });
  return secrets.length > 0 && secrets.every(isSecret) ? secrets : undefined;
}

/** Every variable that the service reads, with its default. */
export const environment = z.object({
  NODE_ENV: z.string().default('development'),
  HOST: z.string().default('127.0.0.1'),
  PORT: integer(0, 65_535).default(8443),
  PUBLIC_URL: variable('an https origin such as https://crm.example.com', (text) => {
    const origin = readOrigin(text);
    return origin?.startsWith('https:') ? origin : undefined;
  }).optional(),
  ALLOWED_ORIGINS: variable(
    'origins such as https://app.example.com, separated by commas, without * or null',
    readOrigins,
  ).default([]),
  SECURITY_CONTACT: variable(
    'an address such as mailto:security@example.com or https://example.com/security',
    readContact,
  ).optional(),
  ADMIN_PORT: integer(0, 65_535).optional(),
  ADMIN_HOST: z.string().default('127.0.0.1'),
  MAX_CONNECTIONS: integer(1, 1_000_000).default(4000),
  WORKERS: integer(1, 256).optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: variable('a URL such as http://127.0.0.1:4318', (text) =>
    /^https?:\/\//.test(text) && URL.canParse(text) ? text : undefined,
  ).optional(),
  OTEL_EXPORTER_OTLP_HEADERS: variable(
    'headers such as key=value,other=value',
    readHeaders,
  ).default({}),
  OTEL_SERVICE_NAME: z.string().default('sales-crm'),
  OTEL_BSP_SCHEDULE_DELAY: integer(10, 60_000).default(1000),
  OTEL_TRACES_SAMPLER_ARG: variable('a number from 0 to 1', (text) => {
    const ratio = Number(text);
    return ratio >= 0 && ratio <= 1 ? ratio : undefined;
  }).default(1),
  DATABASE_URL: databaseUrl('read-write').optional(),
  DIRECT_DATABASE_URL: databaseUrl('read-write').optional(),
  DATABASE_READ_URL: databaseUrl('read-only').optional(),
  DATABASE_POOL: integer(2, 1000).optional(),
  MIGRATE: oneOf('on', 'off').default('on'),
  STATEMENT_TIMEOUT: variable(`${durationHint}, at most 1h`, readTimeout).default(5),
  REQUEST_TIMEOUT: variable(`${durationHint}, at most 1h`, readTimeout).default(6),
  SHUTDOWN_DELAY: variable(`${durationHint}, at most 1h, or off`, (text) =>
    text === 'off' ? 0 : readTimeout(text),
  ).default(0),
  DATA_DIR: z.string().default('./data'),
  JWT_SECRET: variable(`a secret of at least ${minSecretBytes} bytes`, readSecret).optional(),
  JWT_SECRET_FILE: z.string().optional(),
  JWT_SECRET_PREVIOUS: variable(
    `secrets of at least ${minSecretBytes} bytes each, separated by commas`,
    readSecrets,
  ).optional(),
  JWT_SECRET_PREVIOUS_FILE: z.string().optional(),
  TOKEN_TTL: variable(`${durationHint}, or never`, (text) =>
    text === 'never' ? null : durationSeconds(text),
  ).default(365 * 86_400),
  AUDIT_RETENTION: variable(`${durationHint}, or forever`, (text) =>
    text === 'forever' ? null : durationSeconds(text),
  ).default(null),
  TLS: oneOf('proxy').optional(),
  TRUSTED_PROXIES: variable('addresses or networks, separated by commas', readList).optional(),
  TLS_CERT_FILE: z.string().optional(),
  TLS_KEY_FILE: z.string().optional(),
  BODY_LIMIT: size('1KiB', '100MiB').default(1024 ** 2),
  STORED_ANSWERS: size('1MiB', '1024GiB').default(256 * 1024 ** 2),
  PASSWORD_COST: variable('a power of two from 1024 to 262144', (text) => {
    const cost = within(text, 1024, 262_144);
    return cost !== undefined && Number.isInteger(Math.log2(cost)) ? cost : undefined;
  }).default(minPasswordCost),
  RATE_LIMIT: variable('a number of requests per minute, or off', (text) =>
    text === 'off' ? null : within(text, 1, 1_000_000_000),
  ).default(60_000),
  WEBHOOK_DELIVERY: oneOf('on', 'off').default('on'),
  WEBHOOK_ALLOW: variable(
    'addresses, networks or hosts such as 10.0.0.0/8 or receiver.internal:8080, separated by commas',
    readReceivers,
  ).default([]),
  LOG_LEVEL: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent').default('info'),
  GRAPHIQL: oneOf('on', 'off').optional(),
});

export type Environment = z.infer<typeof environment>;
