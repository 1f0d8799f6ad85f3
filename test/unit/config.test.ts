import { resolve } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ConfigError, readConfig } from '../../src/config/config.ts';

const secret = 'x'.repeat(32);

function faults(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

describe('readConfig', () => {
  test('an empty environment gives the defaults', () => {
    expect(readConfig({})).toEqual({
      production: false,
      host: '127.0.0.1',
      port: 8443,
      publicUrl: undefined,
      allowedOrigins: [],
      securityContact: undefined,
      adminPort: undefined,
      adminHost: '127.0.0.1',
      maxConnections: 4000,
      database: {
        kind: 'embedded',
        dataDir: resolve('data'),
        poolSize: 20,
        spreadOver: 11,
        statementTimeoutMs: 5000,
      },
      migrate: true,
      dataDir: resolve('data'),
      jwtSecret: undefined,
      jwtSecretFile: undefined,
      jwtSecretsPrevious: [],
      jwtSecretsPreviousFile: undefined,
      tokenTtl: 31_536_000,
      webhookAllow: [],
      webhookDelivery: true,
      auditRetention: null,
      tls: { kind: 'self-signed' },
      bodyLimit: 1_048_576,
      storedAnswers: 268_435_456,
      passwordCost: 32_768,
      rateLimit: 60_000,
      logLevel: 'info',
      graphiql: true,
      requestTimeoutMs: 6000,
      shutdownDelayMs: 0,
      workers: 1,
    });
  });

  test('the result is frozen', () => {
    const config = readConfig({});
    expect(Object.isFrozen(config)).toBe(true);
    expect(Object.isFrozen(config.database)).toBe(true);
    expect(Object.isFrozen(config.tls)).toBe(true);
  });

  test('every variable is read', () => {
    const config = readConfig({
      NODE_ENV: 'production',
      HOST: '0.0.0.0',
      PORT: '443',
      PUBLIC_URL: 'https://CRM.example.com:443/',
      ALLOWED_ORIGINS:
        'https://App.example.com:443/, http://localhost:5173,https://app.example.com',
      SECURITY_CONTACT: 'mailto:security@example.com',
      ADMIN_PORT: '9000',
      ADMIN_HOST: '10.0.0.2',
      MAX_CONNECTIONS: '20000',
      DATABASE_URL: 'postgresql://crm@db/crm',
      DATABASE_READ_URL: 'postgresql://crm@db2,db3/crm',
      DIRECT_DATABASE_URL: 'postgresql://crm@db1,db2/crm?target_session_attrs=read-write',
      DATABASE_POOL: '20',
      STATEMENT_TIMEOUT: '1m',
      MIGRATE: 'off',
      DATA_DIR: '/var/lib/crm',
      JWT_SECRET: secret,
      JWT_SECRET_PREVIOUS: `${secret}1, ${secret}2`,
      TOKEN_TTL: 'never',
      AUDIT_RETENTION: '400d',
      TLS_CERT_FILE: '/etc/crm/cert.pem',
      TLS_KEY_FILE: '/etc/crm/key.pem',
      BODY_LIMIT: '2MiB',
      STORED_ANSWERS: '1GiB',
      PASSWORD_COST: '65536',
      RATE_LIMIT: 'off',
      LOG_LEVEL: 'warn',
      WEBHOOK_ALLOW: '10.0.0.0/8, [::1]:9000,Receiver.internal',
      WEBHOOK_DELIVERY: 'off',
      REQUEST_TIMEOUT: '2m',
      SHUTDOWN_DELAY: '10s',
      WORKERS: '3',
    });
    expect(config).toEqual({
      production: true,
      host: '0.0.0.0',
      port: 443,
      publicUrl: 'https://crm.example.com',
      allowedOrigins: ['https://app.example.com', 'http://localhost:5173'],
      securityContact: 'mailto:security@example.com',
      adminPort: 9000,
      adminHost: '10.0.0.2',
      maxConnections: 20_000,
      database: {
        kind: 'url',
        url: 'postgresql://crm@db/crm',
        readUrl: 'postgresql://crm@db2,db3/crm',
        directUrl: 'postgresql://crm@db1,db2/crm?target_session_attrs=read-write',
        poolSize: 20,
        spreadOver: 3,
        statementTimeoutMs: 60_000,
      },
      migrate: false,
      dataDir: '/var/lib/crm',
      jwtSecret: secret,
      jwtSecretFile: undefined,
      jwtSecretsPrevious: [`${secret}1`, `${secret}2`],
      jwtSecretsPreviousFile: undefined,
      tokenTtl: null,
      webhookAllow: ['10.0.0.0/8', '[::1]:9000', 'receiver.internal'],
      webhookDelivery: false,
      auditRetention: 34_560_000,
      tls: { kind: 'files', certFile: '/etc/crm/cert.pem', keyFile: '/etc/crm/key.pem' },
      bodyLimit: 2_097_152,
      storedAnswers: 1_073_741_824,
      passwordCost: 65_536,
      rateLimit: null,
      logLevel: 'warn',
      graphiql: false,
      requestTimeoutMs: 120_000,
      shutdownDelayMs: 10_000,
      workers: 3,
    });
  });

  test('TLS=proxy carries the proxies that are trusted', () => {
    const { tls } = readConfig({ TLS: 'proxy', TRUSTED_PROXIES: '10.0.0.1, 10.1.0.0/16' });
    expect(tls).toEqual({ kind: 'proxy', trustedProxies: ['10.0.0.1', '10.1.0.0/16'] });
  });

  test('a blank variable counts as unset', () => {
    expect(readConfig({ PORT: ' ', DATABASE_URL: '', TLS: '\t' })).toEqual(readConfig({}));
  });

  test('no statement may take longer than a request', () => {
    const { database } = readConfig({ STATEMENT_TIMEOUT: '9s', REQUEST_TIMEOUT: '2s' });
    expect(database.statementTimeoutMs).toBe(2000);
  });

  test('a comma separates secrets, unless one would be too short', () => {
    const previous = (text: string) => readConfig({ JWT_SECRET_PREVIOUS: text }).jwtSecretsPrevious;
    expect(previous(`${secret}1,${secret}2`)).toEqual([`${secret}1`, `${secret}2`]);
    expect(previous(`${secret}, and more`)).toEqual([`${secret}, and more`]);
  });

  test('files of secrets are named by absolute paths', () => {
    const env = { JWT_SECRET_FILE: 'a', JWT_SECRET_PREVIOUS_FILE: 'b' };
    const config = readConfig({ DATABASE_URL: 'postgresql://db', ...env });
    expect(config).toMatchObject({
      jwtSecretFile: resolve('a'),
      jwtSecretsPreviousFile: resolve('b'),
    });
  });

  test('SHUTDOWN_DELAY=off is none', () => {
    expect(readConfig({ SHUTDOWN_DELAY: 'off' })).toEqual(readConfig({}));
  });

  test('GRAPHIQL=on holds in production', () => {
    const files = { TLS_CERT_FILE: 'a', TLS_KEY_FILE: 'b' };
    expect(readConfig({ NODE_ENV: 'production', GRAPHIQL: 'on', ...files }).graphiql).toBe(true);
  });

  test('all faults are reported together', () => {
    const found = faults({
      PORT: '65536',
      DATABASE_POOL: 'many',
      DATABASE_URL: 'mysql://db',
      TOKEN_TTL: '1 year',
      TLS: 'off',
      LOG_LEVEL: 'loud',
      TLS_KEY_FILE: 'key.pem',
    });
    expect([...found].sort()).toEqual([
      'DATABASE_POOL must be an integer from 2 to 1000',
      'DATABASE_URL must be a URL that begins with postgresql://, with target_session_attrs=read-write or without',
      'JWT_SECRET or JWT_SECRET_FILE must be set with DATABASE_URL, the same for every process on it',
      'LOG_LEVEL must be fatal, error, warn, info, debug, trace or silent',
      'PORT must be an integer from 0 to 65535',
      'TLS must be proxy',
      'TLS_CERT_FILE and TLS_KEY_FILE must be set together, or neither',
      'TOKEN_TTL must be a length of time such as 90s, 15m, 12h or 30d, or never',
    ]);
  });

  test.each([
    ['PORT', '-1'],
    ['PORT', '80.5'],
    ['PORT', '1e3'],
    ['PUBLIC_URL', 'crm.example.com'],
    ['PUBLIC_URL', 'http://localhost'],
    ['PUBLIC_URL', 'https://crm.example.com/crm'],
    ['PUBLIC_URL', 'https://crm.example.com/?'],
    ['PUBLIC_URL', 'https://crm.example.com#'],
    ['PUBLIC_URL', 'https://ada@crm.example.com'],
    ['ALLOWED_ORIGINS', '*'],
    ['ALLOWED_ORIGINS', 'null'],
    ['ALLOWED_ORIGINS', 'https://app.example.com, *'],
    ['ALLOWED_ORIGINS', 'https://*.example.com'],
    ['ALLOWED_ORIGINS', 'http://app.example.com'],
    ['ALLOWED_ORIGINS', 'https://app.example.com/crm'],
    ['ALLOWED_ORIGINS', 'app.example.com'],
    ['ALLOWED_ORIGINS', 'https://app.example.com https://other.example.com'],
    ['SECURITY_CONTACT', 'security@example.com'],
    ['SECURITY_CONTACT', 'http://example.com/security'],
    ['SECURITY_CONTACT', 'mailto:security@example.com\nExpires: never'],
    ['ADMIN_PORT', '99999'],
    ['MAX_CONNECTIONS', '0'],
    ['DATABASE_POOL', '1'],
    ['DATABASE_URL', 'postgresql//db'],
    ['DATABASE_URL', 'postgresql://db1,db2?target_session_attrs=any'],
    ['DATABASE_READ_URL', 'postgresql://db?target_session_attrs=read-write'],
    ['DIRECT_DATABASE_URL', 'postgresql://db?target_session_attrs=standby'],
    ['STATEMENT_TIMEOUT', '2h'],
    ['STATEMENT_TIMEOUT', '5'],
    ['REQUEST_TIMEOUT', '0s'],
    ['SHUTDOWN_DELAY', '10'],
    ['SHUTDOWN_DELAY', '2h'],
    ['JWT_SECRET', 'x'.repeat(31)],
    ['JWT_SECRET_PREVIOUS', 'x'.repeat(31)],
    ['TOKEN_TTL', '0s'],
    ['TOKEN_TTL', '365'],
    ['BODY_LIMIT', '1GB'],
    ['BODY_LIMIT', '0'],
    ['STORED_ANSWERS', '0'],
    ['STORED_ANSWERS', '2TiB'],
    ['PASSWORD_COST', '512'],
    ['PASSWORD_COST', '50000'],
    ['PASSWORD_COST', '524288'],
    ['RATE_LIMIT', '0'],
    ['WEBHOOK_ALLOW', '10.0.0.0/33'],
    ['WEBHOOK_ALLOW', 'https://receiver.internal'],
    ['GRAPHIQL', 'yes'],
    ['MIGRATE', 'no'],
    ['TRUSTED_PROXIES', ','],
  ])('%s=%s is refused by name, without its value', (name, value) => {
    const found = faults({ [name]: value }).filter((fault) => fault.startsWith(`${name} `));
    expect(found.length).toBeGreaterThan(0);
    if (name.startsWith('JWT_SECRET')) expect(found.join()).not.toContain(value);
  });

  test.each([
    [{ TLS: 'proxy' }, 'TRUSTED_PROXIES'],
    [{ TRUSTED_PROXIES: '10.0.0.1' }, 'TRUSTED_PROXIES'],
    [{ TLS: 'proxy', TRUSTED_PROXIES: 'a', TLS_CERT_FILE: 'a', TLS_KEY_FILE: 'b' }, 'TLS=proxy'],
    [{ TLS_CERT_FILE: 'a' }, 'TLS_KEY_FILE'],
    [{ NODE_ENV: 'production' }, 'in production'],
    [
      { NODE_ENV: 'production', TLS_CERT_FILE: 'a', TLS_KEY_FILE: 'b', PASSWORD_COST: '16384' },
      'PASSWORD_COST',
    ],
    [{ DATABASE_URL: 'postgresql://db' }, 'JWT_SECRET'],
    [{ JWT_SECRET: secret, JWT_SECRET_FILE: 'a' }, 'JWT_SECRET_FILE'],
    [{ JWT_SECRET_PREVIOUS: secret, JWT_SECRET_PREVIOUS_FILE: 'a' }, 'JWT_SECRET_PREVIOUS_FILE'],
    [{ DIRECT_DATABASE_URL: 'postgresql://db' }, 'DATABASE_URL'],
    [{ DATABASE_READ_URL: 'postgresql://db' }, 'DATABASE_URL'],
    [{ ADMIN_PORT: '8443' }, 'ADMIN_PORT'],
  ])('%j contradicts itself', (env, word) => {
    const found = faults(env);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(word);
  });
});
