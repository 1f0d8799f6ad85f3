/** The service as `npm start` runs it, for other people's tools: with the demo account, on a PostgreSQL of its own. */
import { type Keys, keysOf } from '../../src/auth/keys.ts';
import { migrate } from '../../src/db/migrations/migrate.ts';
import { openDatabase } from '../../src/db/open.ts';
import { seed } from '../../src/demo/seed.ts';
import { startEmbedded } from '../../src/postgres/embedded.ts';
import { serviceProgram, startTarget, stopTarget } from '../bench/processes.ts';

export interface DemoService {
  readonly url: string;
  readonly port: number;
  readonly accountId: number;
  /** Of its admin. */
  readonly token: string;
  readonly databaseUrl: string;
  readonly keys: Keys;
}

const secret = 'a secret of the tools, long enough to sign with';

/**
 * Starts it for some work, and ends it with that.
 * @param dataDir where the database and the certificate are, which is left behind
 * @param env beside what it needs in any case
 */
export async function onDemoService(
  dataDir: string,
  env: Readonly<Record<string, string>>,
  work: (service: DemoService) => Promise<void>,
): Promise<void> {
  const embedded = await startEmbedded(dataDir);
  try {
    await migrate(embedded.url);
    const keys = keysOf([secret]);
    const db = await openDatabase({ url: embedded.url });
    const { account_id, token } = await seed(db, { keys, tokenTtl: null, now: new Date() });
    await db.close();
    const target = await startTarget('service', serviceProgram, {
      DATABASE_URL: embedded.url,
      DATA_DIR: dataDir,
      JWT_SECRET: secret,
      WORKERS: '1',
      ...env,
    });
    const { port, scheme } = target;
    const at = { url: `${scheme}://127.0.0.1:${port}`, port, databaseUrl: embedded.url };
    try {
      await work({ ...at, accountId: account_id, token, keys });
    } finally {
      await stopTarget(target);
    }
  } finally {
    await embedded.stop();
  }
}
