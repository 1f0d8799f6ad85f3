import { join } from 'node:path';
import { workers } from './citus.ts';
import { createDatabase, type TestDatabase } from './database.ts';
import { given } from './environment.ts';
import { Client } from './http.ts';
import * as shared from './shared.ts';

/** What the service under test signs its tokens with. */
export const secret = 'a secret of the tests, long enough to sign with';

/** The service as it ships, over HTTPS on a port of its own. */
export interface Service {
  readonly url: string;
  readonly client: Client;
  readonly database: TestDatabase;
  /** Text of every SQL statement that the service has sent. */
  readonly statements: string[];
  /** Lines of the log, one JSON object each. */
  readonly logged: string[];
  close(): Promise<void>;
}

export interface ServiceOptions {
  /** A database that another service already uses; one of its own when not given. */
  readonly database?: TestDatabase;
  /** Variables of its environment, beside those that every test needs. */
  readonly env?: Readonly<Record<string, string>>;
  /** By which deliveries to webhooks are due: an SQL expression; the database's own unless given. */
  readonly clock?: () => string;
  /** That of a test which has replaced modules of `src/`; the one that is built when not given. */
  readonly startApp?: typeof shared.startApp;
  /** Called with every route that the service listens to. */
  readonly onRoute?: (method: string, url: string) => void;
}

/** Starts the service; it lives until `close`, its database with it unless it was given. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const database = options.database ?? (await createDatabase());
  const config = shared.readConfig({
    PORT: '0',
    DATABASE_URL: database.url,
    DATA_DIR: join(given('CRM_TEST_DIRECTORY'), 'service'),
    JWT_SECRET: secret,
    TLS_CERT_FILE: given('CRM_TEST_CERT'),
    TLS_KEY_FILE: given('CRM_TEST_KEY'),
    RATE_LIMIT: 'off',
    LOG_LEVEL: 'trace',
    // Nothing is sent, and no statement comes at a moment of its own, but where a test asks for it.
    WEBHOOK_DELIVERY: 'off',
    // Less than a GraphQL request may take: near its end statements come in transactions.
    STATEMENT_TIMEOUT: '4s',
    // One machine is several servers there, and who waits behind fifty others takes longer.
    ...(workers.length > 0 ? { STATEMENT_TIMEOUT: '60s', REQUEST_TIMEOUT: '90s' } : {}),
    ...options.env,
  });
  const statements: string[] = [];
  const sent = new Set<string>();
  const logged: string[] = [];
  const { clock } = options;
  const app = await (options.startApp ?? shared.startApp)(config, {
    log: shared.createLog(config.logLevel, { write: (line) => void logged.push(line) }),
    ...(clock ? { clock: () => shared.raw(clock()) } : {}),
    ...(options.onRoute ? { onRoute: options.onRoute } : {}),
    onStatement: (text) => {
      // The use of a token or a session is noted, and erasures and events that fall due are looked for, at
      // moments of their own.
      if (
        !/^UPDATE \w+ SET last_used_at|^SELECT .* FROM erasures|^SELECT account_id FROM events/.test(
          text,
        )
      )
        statements.push(text);
      sent.add(text);
    },
  });
  const client = new Client(app.url);
  return {
    url: app.url,
    client,
    database,
    statements,
    logged,
    close: async () => {
      client.close();
      await app.close();
      if (!options.database) await database.close();
      shared.requireDistributable(sent);
    },
  };
}
