/** The app as it ships, with the settings that every test wants, and a record of what it does. */
import { join } from 'node:path';
import type { AppOptions } from '../../src/app/app.ts';
import { workers } from './citus.ts';
import { given } from './environment.ts';
import type { Modules } from './sandbox.ts';

/** What the service under test signs its tokens with. */
export const secret = 'a secret of the tests, long enough to sign with';

/** Of scrypt: a hash takes a thirtieth of the time of one in production. */
export const passwordCost = 1024;

/** What the app does, for those who test it. */
export interface Recording {
  /** Text of every SQL statement that it has sent. */
  readonly statements: string[];
  /** Lines of its log, one JSON object each. */
  readonly logged: string[];
}

export interface AppSettings extends Pick<AppOptions, 'clock' | 'onRoute'> {
  /** Variables of its environment, beside those that every test needs. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface AppUnderTest {
  readonly url: string;
  readonly databaseUrl: string;
  /** From now on it is recorded there, and nowhere else. */
  record(recording: Recording): void;
  /** @throws {Error} naming what it has sent since the last time and not every kind of server would take */
  requireDistributable(): void;
  close(): Promise<void>;
}

/** Those that come at moments of their own: notes of when a token was used, and looks for what falls due. */
const atAnyTime =
  /^UPDATE \w+ SET last_used_at|^SELECT .* FROM erasures|^SELECT account_id FROM events/;

/** Takes statements down, but for those that come at moments of their own, with the transactions that they come in. */
function recorder(recorded: () => string[]) {
  let endsToCome = 0;
  return (text: string): void => {
    const statements = recorded();
    // What tells of events which fell due is in a transaction always, the others where they have a limit of their own.
    const isDue = text.startsWith('WITH due AS ');
    if (isDue || atAnyTime.test(text)) {
      const hasLimit = statements.at(-2) === 'BEGIN' && statements.at(-1)?.startsWith('SET LOCAL ');
      const begin = isDue || hasLimit ? statements.lastIndexOf('BEGIN') : -1;
      if (begin >= 0) statements.splice(begin, hasLimit ? 2 : 1);
      if (isDue || hasLimit) endsToCome += 1;
    } else if (endsToCome > 0 && (text === 'COMMIT' || text === 'ROLLBACK')) {
      endsToCome -= 1;
    } else statements.push(text);
  };
}

/** Starts the app, whose parts may be those that are built or another copy. */
export async function startTested(
  { startApp, readConfig, createLog, requireDistributable }: Modules,
  databaseUrl: string,
  first: Recording,
  { env, ...options }: AppSettings = {},
): Promise<AppUnderTest> {
  const config = readConfig({
    PORT: '0',
    DATABASE_URL: databaseUrl,
    DATA_DIR: join(given('CRM_TEST_DIRECTORY'), 'service'),
    JWT_SECRET: secret,
    TLS_CERT_FILE: given('CRM_TEST_CERT'),
    TLS_KEY_FILE: given('CRM_TEST_KEY'),
    RATE_LIMIT: 'off',
    PASSWORD_COST: String(passwordCost),
    LOG_LEVEL: 'trace',
    // Nothing is sent, and no statement comes at a moment of its own, but where a test asks for it.
    WEBHOOK_DELIVERY: 'off',
    // Less than a GraphQL request may take: near its end statements come in transactions.
    STATEMENT_TIMEOUT: '4s',
    // One machine is several servers there, and who waits behind fifty others takes longer.
    ...(workers.length > 0 ? { STATEMENT_TIMEOUT: '60s', REQUEST_TIMEOUT: '90s' } : {}),
    ...env,
  });
  let recording = first;
  const sent = new Set<string>();
  const takeDown = recorder(() => recording.statements);
  const app = await startApp(config, {
    ...options,
    log: createLog(config.logLevel, { write: (line) => void recording.logged.push(line) }),
    onStatement: (text) => {
      takeDown(text);
      sent.add(text);
    },
  });
  return {
    url: app.url,
    databaseUrl,
    record: (next) => {
      recording = next;
    },
    requireDistributable: () => {
      const texts = [...sent];
      sent.clear();
      requireDistributable(texts);
    },
    close: () => app.close(),
  };
}
