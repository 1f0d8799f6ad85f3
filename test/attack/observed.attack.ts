/**
 * What an operator sees at three in the morning: each of twelve faults moves its panel of the dashboard, and fires
 * its alert within a minute, and no other alert.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import pg from 'pg';
import { generate } from 'selfsigned';
import { migrate } from '../../src/db/migrations/migrate.ts';
import { freePort } from '../../src/postgres/free_port.ts';
import { Watch } from '../kit/alerts.ts';
import { createDatabase, openDatabase, type TestDatabase } from '../kit/database.ts';
import { Client } from '../kit/http.ts';
import { scrape } from '../kit/metrics.ts';
import { killProcesses, type ServiceProcess, startProcess, workerOf } from '../kit/process.ts';
import { delivering, startReceiver } from '../kit/receiver.ts';
import { startReplicated } from '../kit/replicated.ts';
import { until } from '../kit/wait.ts';
import { type World, world } from '../kit/world.ts';
import { again, tell } from './scene.ts';

jest.setTimeout(300_000);

/** Within which an alert has to fire. */
const limitMs = 60_000;
/** How often a look is taken. */
const pauseMs = 2000;

/** A service whose operator looks, and somebody who works with it. */
interface Observed {
  readonly service: ServiceProcess;
  readonly database: TestDatabase;
  readonly w: World;
  readonly look: (watch: Watch) => Promise<readonly string[]>;
  close(): Promise<void>;
}

const directory = mkdtempSync(join(tmpdir(), 'crm-observed-'));
const [certFile, keyFile] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];

async function observe(database: TestDatabase, env: NodeJS.ProcessEnv = {}): Promise<Observed> {
  const adminPort = await freePort();
  const service = await startProcess(
    { database },
    {
      ADMIN_PORT: String(adminPort),
      TLS_CERT_FILE: certFile,
      TLS_KEY_FILE: keyFile,
      RATE_LIMIT: '3000',
      // So few that those who wait for one, sixty at once, wait for longer than anybody may.
      DATABASE_POOL: '8',
      NODE_OPTIONS: `--max-semi-space-size=1 --max-old-space-size=600 --import=${new URL('../kit/faults.mjs', import.meta.url).href}`,
      ...delivering,
      ...env,
    },
  );
  const client = new Client(service.url);
  const w = await world({ client, database });
  // Operators are let in a moment after clients.
  await until(() => scrape(adminPort).catch(() => undefined), Boolean, 30_000);
  let isOver = () => {};
  const over = new Promise<void>((resolve) => {
    isOver = resolve;
  });
  const working = again(1, over, async () => {
    await w.contact();
    await sleep(250);
  });
  return {
    service,
    database,
    w,
    look: async (watch) =>
      watch.note({ at: performance.now() / 1000, series: await scrape(adminPort) }),
    close: async () => {
      isOver();
      await working;
      client.close();
      process.kill(service.pid, 'SIGTERM');
      await service.exit;
    },
  };
}

/** Makes a fault. @returns what heals it */
type Fault = (observed: Observed) => Promise<() => Promise<unknown>>;

/** Injects a fault, looks until its alert fires, and heals it. */
async function expectAlert(
  observed: Observed,
  { alert, panel, fault }: { alert: string; panel: string; fault: Fault },
): Promise<void> {
  const watch = new Watch();
  // What was wrong before has to be over.
  const calm = performance.now() + 60_000;
  let fired = await observed.look(watch);
  for (let n = 0; n < 3 || (watch.pending.length > 0 && performance.now() < calm); n += 1) {
    await sleep(pauseMs);
    fired = await observed.look(watch);
  }
  expect(watch.pending).toEqual([]);
  const before = watch.panel(panel);
  const heal = await fault(observed);
  const began = performance.now();
  try {
    while (!fired.includes(alert) && performance.now() - began < limitMs) {
      await sleep(pauseMs);
      fired = await observed.look(watch);
      expect(fired.filter((name) => name !== alert)).toEqual([]);
    }
    tell(alert, { seconds: (performance.now() - began) / 1000 });
    expect(fired).toEqual([alert]);
    expect(watch.panel(panel)).not.toEqual(before);
  } finally {
    await heal();
  }
}

/** Somebody else on the database, who begins a transaction and forgets it. */
async function forgotten(
  url: string,
  ...statements: readonly string[]
): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  await client.query('BEGIN');
  for (const statement of statements) await client.query(statement);
  return () => client.end();
}

/** So many clients create products one after the other, until it is healed. */
function creating({ w }: Observed, clients: number): () => Promise<void> {
  let isOver = () => {};
  const over = new Promise<void>((resolve) => {
    isOver = resolve;
  });
  let n = 0;
  const working = again(clients, over, async () => {
    n += 1;
    await w.rest.post('/products', { name: 'Fault', identifier: `F-${n}` });
    await sleep(100);
  });
  return async () => {
    isOver();
    await working;
  };
}

/** Has each new product take so long. */
async function dawdling({ database }: Observed, seconds: number): Promise<() => Promise<void>> {
  await database.query(`CREATE OR REPLACE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_sleep(${seconds}); RETURN NULL; END $$`);
  await database.query(
    'CREATE TRIGGER dawdle BEFORE INSERT ON products FOR EACH STATEMENT EXECUTE FUNCTION dawdle()',
  );
  return async () => void (await database.query('DROP TRIGGER dawdle ON products'));
}

const heldLock: Fault = async (observed) => {
  // A lock of a table is held without having written, which would hold up the feed as well.
  const release = await forgotten(observed.database.url, 'LOCK TABLE products IN SHARE MODE');
  const stop = creating(observed, 2);
  return async () => {
    await release();
    await stop();
  };
};

const slowStatement: Fault = async (observed) => {
  const hasten = await dawdling(observed, 1.3);
  const stop = creating(observed, 2);
  return async () => {
    await stop();
    await hasten();
  };
};

const spentPool: Fault = async (observed) => {
  const hasten = await dawdling(observed, 0.4);
  const stop = creating(observed, 100);
  return async () => {
    await stop();
    await hasten();
  };
};

const hangingReceiver: Fault = async ({ w }) => {
  const receivers = await Promise.all([1, 2, 3, 4].map(() => startReceiver(() => undefined)));
  const ids: number[] = [];
  for (const { url } of receivers) {
    const { body } = await w.rest.post<{ id: number }>('/webhooks', { url, events: ['product.*'] });
    ids.push(body.id);
  }
  await w.product();
  return async () => {
    for (const id of ids) await w.rest.delete(`/webhooks/${id}`);
    for (const receiver of receivers) await receiver.close();
  };
};

const feedHeldUp: Fault = ({ database }) => forgotten(database.url, 'SELECT pg_current_xact_id()');

const migrationWaiting: Fault = async ({ database }) => {
  const waits = "finished_at = NULL WHERE migration_name LIKE '%_webhooks'";
  await database.query(`UPDATE _prisma_migrations SET ${waits}`);
  return () =>
    database.query('UPDATE _prisma_migrations SET finished_at = now() WHERE finished_at IS NULL');
};

const hammeringToken: Fault = async ({ w }) => {
  let isOver = () => {};
  const over = new Promise<void>((resolve) => {
    isOver = resolve;
  });
  const hammering = again(8, over, () => w.restAs(w.member.token).get('/me'));
  return async () => {
    isOver();
    await hammering;
  };
};

const endingCertificate: Fault = async () => {
  await certify(5);
  return () => certify(300);
};

/** Puts a certificate in place that ends after so many days. */
async function certify(days: number): Promise<void> {
  const notAfterDate = new Date(Date.now() + days * 86_400_000);
  const made = await generate([{ name: 'commonName', value: '127.0.0.1' }], { notAfterDate });
  await writeFile(certFile, made.cert);
  await writeFile(keyFile, made.private);
}

const signalled =
  (signal: NodeJS.Signals): Fault =>
  async ({ service }) => {
    const worker = workerOf(service);
    process.kill(worker, signal);
    return async () => void process.kill(worker, signal);
  };

/** The table of products is on a small disk, which somebody fills. */
const fullDisk: Fault = async (observed) => {
  const { database } = observed;
  const disk = mkdtempSync(join(tmpdir(), 'crm-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m,mode=0755', 'crm-test', disk]);
  const [{ data = '' } = {}] = await database
    .query<{ data: string }>('SHOW data_directory')
    .then((rows) => rows.map((row) => ({ data: String(Object.values(row)[0]) })));
  const { uid, gid } = statSync(data);
  execFileSync('chown', [`${uid}:${gid}`, disk]);
  await database.query(`CREATE TABLESPACE small LOCATION '${disk}'`);
  await database.query('ALTER TABLE products SET TABLESPACE small');
  const ballast = join(disk, 'ballast');
  await writeFile(ballast, Buffer.alloc(20 * 1024 * 1024)).catch(() => undefined);
  // As much as fits into the pages that the table has already would still be taken.
  await database.query('ALTER TABLE products SET (fillfactor = 10)');
  const stop = creating(observed, 2);
  return async () => {
    await stop();
    await rm(ballast);
    await database.query('ALTER TABLE products SET TABLESPACE pg_default');
    await database.query('DROP TABLESPACE small');
    execFileSync('umount', [disk]);
  };
};

let one: Observed;
let database: TestDatabase;
beforeAll(async () => {
  await certify(300);
  database = await createDatabase();
  one = await observe(database);
});
afterAll(async () => {
  await one.close();
  killProcesses();
  await database.close();
  rmSync(directory, { recursive: true });
});

test.each([
  ['a held lock', 'CrmLockHeld', 'Failed statements by SQLSTATE', heldLock],
  ['a slow statement', 'CrmSlowStatements', 'Statements over a second', slowStatement],
  ['a spent pool', 'CrmPoolSpent', 'Connections', spentPool],
  ['a hanging receiver', 'CrmReceiverHangs', 'Attempts by outcome', hangingReceiver],
  ['a forgotten transaction', 'CrmFeedHeldUp', 'Feed behind', feedHeldUp],
  ['a full disk', 'CrmDiskFull', 'Failed statements by SQLSTATE', fullDisk],
  ['a hammering token', 'CrmTokenHammers', 'Requests beyond the limit of a token', hammeringToken],
  [
    'an ending certificate',
    'CrmCertificateEnds',
    'Days left of the certificate',
    endingCertificate,
  ],
  ['memory', 'CrmMemoryShort', 'Heap of the fullest worker', signalled('SIGWINCH')],
  ['a blocked event loop', 'CrmEventLoopBlocked', 'Event loop delay', signalled('SIGUSR2')],
  ['a waiting migration', 'CrmMigrationWaiting', 'PostgreSQL answers', migrationWaiting],
])('%s fires %s and no other alert, and moves its panel', async (_, alert, panel, fault) => {
  await expectAlert(one, { alert, panel, fault });
});

test('a late standby fires CrmStandbyLate and no other alert, and moves its panel', async () => {
  const servers = await startReplicated(join(directory, 'replicated'));
  await migrate(servers.primary);
  const primary = openDatabase(servers.primary);
  const standby = openDatabase(servers.standby);
  const other = await observe(primary, { DATABASE_READ_URL: servers.standby });
  const fault: Fault = async () => {
    await standby.query('SELECT pg_wal_replay_pause()');
    return () => standby.query('SELECT pg_wal_replay_resume()');
  };
  await expectAlert(other, { alert: 'CrmStandbyLate', panel: 'Standby behind', fault });
  await other.close();
  await Promise.all([primary.close(), standby.close()]);
  await servers.stop();
});
