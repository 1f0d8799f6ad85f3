import { afterAll } from '@jest/globals';
import { type AppSettings, type Recording, startTested } from './app_under_test.ts';
import { createDatabase, openDatabase, type TestDatabase } from './database.ts';
import { Client } from './http.ts';
import * as shared from './shared.ts';

export { secret } from './app_under_test.ts';

/** The service as it ships, over HTTPS on a port of its own, while a file uses it. */
export interface SharedService extends Recording {
  readonly url: string;
  readonly client: Client;
  readonly database: TestDatabase;
}

/** One that is a file's own. */
export interface Service extends SharedService {
  close(): Promise<void>;
}

export interface ServiceOptions extends Omit<AppSettings, 'clock'> {
  /** A database that another service already uses; one of its own when not given. */
  readonly database?: TestDatabase;
  /** By which deliveries to webhooks are due: an SQL expression; the database's own unless given. */
  readonly clock?: () => string;
  /** That of a test which has replaced modules of `src/`; the one that is built when not given. */
  readonly startApp?: typeof shared.startApp;
}

/**
 * The service that the files of a worker use one after the other: its database has what those before wrote. It is
 * called before any `afterAll`, because behind the last test it closes what the file has of the service.
 */
export async function sharedService(): Promise<SharedService> {
  const recording: Recording = { statements: [], logged: [] };
  const app = await shared.borrowApp(recording);
  const client = new Client(app.url);
  const database = openDatabase(app.databaseUrl);
  afterAll(async () => {
    client.close();
    await database.close();
    app.requireDistributable();
  });
  return { ...recording, url: app.url, client, database };
}

/** Starts one for a file alone; it lives until `close`, its database with it unless it was given. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const { clock, startApp = shared.startApp, env, onRoute } = options;
  const database = options.database ?? (await createDatabase());
  const recording: Recording = { statements: [], logged: [] };
  const app = await startTested({ ...shared, startApp }, database.url, recording, {
    ...(env ? { env } : {}),
    ...(clock ? { clock: () => shared.raw(clock()) } : {}),
    ...(onRoute ? { onRoute } : {}),
  });
  const client = new Client(app.url);
  return {
    ...recording,
    url: app.url,
    client,
    database,
    close: async () => {
      client.close();
      await app.close();
      if (!options.database) await database.close();
      app.requireDistributable();
    },
  };
}
