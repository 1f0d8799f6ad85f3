import type { Config } from '../../config/config.ts';
import { startEmbedded } from '../../postgres/embedded.ts';
import type { Database } from '../database.ts';
import { type DatabaseOptions, type OpenDatabase, openDatabase } from '../open.ts';
import { openProbe, type Probe } from './probe.ts';
import { Replica } from './replica.ts';
import { primaryUrl } from './servers.ts';
import { checkSession } from './session.ts';

/** The database in use: the configured one, or the embedded one, started if necessary. */
export interface DatabaseConnection {
  readonly database: OpenDatabase;
  readonly probe: Probe;
  /** Where reads may come from as well, if that is configured. */
  readonly replica: Replica | undefined;
  /** Closes the connections, and stops the embedded database unless somebody else uses it. */
  close(): Promise<void>;
}

export type ConnectOptions = Pick<DatabaseOptions, 'onStatement' | 'onConnectionError' | 'onSlow'>;

/** Where the database is. */
export interface DatabaseLocation {
  /** For the pool; it may name several servers. */
  readonly url: string;
  /** The server that takes writes, directly: for migrations, which need sessions that last. */
  directUrl(): Promise<string>;
  /** Stops the embedded database unless somebody else uses it. */
  stop(): Promise<void>;
}

/** Finds the database; an embedded one runs until `stop`. */
export async function locateDatabase({
  database,
}: Pick<Config, 'database'>): Promise<DatabaseLocation> {
  if (database.kind === 'embedded') {
    const { url, stop } = await startEmbedded(database.dataDir);
    return { url, directUrl: async () => url, stop };
  }
  const { url, directUrl } = database;
  return { url, directUrl: () => primaryUrl(directUrl), stop: async () => undefined };
}

/**
 * Connects to the configured database.
 * @param prepare called with its direct URL before anything else, such as `migrate`
 */
export async function connect(
  config: Pick<Config, 'database'>,
  prepare: (url: string) => Promise<unknown>,
  options: ConnectOptions = {},
): Promise<DatabaseConnection> {
  const { url, directUrl, stop } = await locateDatabase(config);
  try {
    await prepare(await directUrl());
    const { poolSize, spreadOver, statementTimeoutMs } = config.database;
    const shared = { poolSize, spreadOver, statementTimeoutMs, ...options };
    const database = await openDatabase({ url, ...shared });
    const replica = await checked(config, database, shared).catch(async (error: unknown) => {
      await database.close();
      throw error;
    });
    const probe = openProbe(url);
    return {
      database,
      probe,
      replica,
      close: async () => {
        await Promise.all([database.close(), probe.close(), replica?.close()]);
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** How long a read waits for a connection to a standby before the primary answers it. */
const standbyPatienceMs = 500;

/**
 * Sees that sessions are as they must be.
 * @returns the replica, if there is to be one
 */
async function checked(
  { database }: Pick<Config, 'database'>,
  primary: Database,
  options: Omit<DatabaseOptions, 'url'>,
): Promise<Replica | undefined> {
  await checkSession(primary, database.statementTimeoutMs);
  if (database.kind === 'embedded' || database.readUrl === undefined) return undefined;
  const url = database.readUrl;
  const replica = new Replica(
    primary,
    await openDatabase({
      ...options,
      url,
      access: 'read-only',
      connectTimeoutMs: standbyPatienceMs,
    }),
  );
  try {
    await replica.check(database.statementTimeoutMs);
    return replica;
  } catch (error) {
    await replica.close();
    throw error;
  }
}
