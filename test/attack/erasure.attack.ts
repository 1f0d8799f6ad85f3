/** A contact whose deal has a million entries is erased, while the service is killed and others read. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { linkFile } from '../../src/resources/users/sign_in_link.ts';
import { createDatabase, type TestDatabase } from '../kit/database.ts';
import { Client } from '../kit/http.ts';
import { killProcesses, killService, type ServiceProcess, startProcess } from '../kit/process.ts';
import { Rest } from '../kit/rest.ts';
import { until } from '../kit/wait.ts';
import { type World, world } from '../kit/world.ts';
import { Onlooker } from './onlooker.ts';
import { tell } from './scene.ts';

const entries = Number(process.env['ERASURE_ENTRIES'] ?? 1_000_000);
const marker = 'zebedee';

let database: TestDatabase;
let service: ServiceProcess;
let client: Client;
let w: World;
let neighbour: World;

const start = async () => {
  service = await startProcess({ database }, { RATE_LIMIT: 'off' });
  client = new Client(service.url);
};
const worldOf = () => world({ client, database });

beforeAll(async () => {
  database = await createDatabase();
  await start();
  w = await worldOf();
  neighbour = await worldOf();
}, 600_000);
afterAll(async () => {
  client.close();
  killProcesses();
  await database.close();
});

const kill = async () => {
  client.close();
  await killService(service);
};

const left = async () => {
  const [row] = await database.query<{ left: number }>(
    `SELECT count(*) AS left FROM audit_entries WHERE account_id = $1 AND record_type = 'deal' AND erased_at IS NULL`,
    [w.accountId],
  );
  return row?.left ?? 0;
};

/** Rows of all tables that hold a text of the person: what a dump would show. */
async function holding(): Promise<number> {
  const tables = await database.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
  );
  const counts = await Promise.all(
    tables.map(async ({ name }) => {
      const [row] = await database.query<{ rows: number }>(
        `SELECT count(*) AS rows FROM "${name}" AS row WHERE row::text ILIKE '%${marker}%'`,
      );
      return row?.rows ?? 0;
    }),
  );
  return counts.reduce((sum, rows) => sum + rows, 0);
}

test('a deal with a million entries is emptied, whatever is killed meanwhile, and nobody waits for it', async () => {
  const contact = await w.contact({ full_name: `${marker} person` });
  const deal = await w.deal({ contact_id: contact.id, name: `${marker} deal` });
  await database.query(
    `INSERT INTO audit_entries (account_id, user_id, request_id, action, record_type, record_id, before, after)
     SELECT $1, $2, 'r' || n, 'deal.update', 'deal', $3,
       json_build_object('name', '${marker} ' || n, 'custom_attributes', json_build_object('note', '${marker} ' || repeat('x', n % 200))),
       json_build_object('name', '${marker} ' || n + 1, 'custom_attributes', json_build_object('note', '${marker} ' || repeat('y', n % 200)))
     FROM generate_series(1, $4::int) AS n`,
    [w.accountId, w.admin.id, deal.id, entries],
  );
  await database.query('VACUUM ANALYZE audit_entries');
  const { id } = await neighbour.contact({ full_name: 'Nina Neighbour' });
  const onlooker = new Onlooker();
  const path = `/api/v1/accounts/${neighbour.accountId}/contacts/${id}`;
  const notice = (end: Promise<unknown>) =>
    onlooker.notice({ port: service.port, path, token: neighbour.admin.token }, end);
  const calm = () => notice(until(async () => performance.now(), afterMs(4000), 10_000));
  await calm();
  const quiet = await calm();

  const begun = performance.now();
  const { body } = await w.graphql.send<{ erase_contact: { done: boolean } }>(
    `mutation { erase_contact(account_id: ${w.accountId}, id: ${contact.id}) { id entries done } }`,
  );
  expect(body.data?.erase_contact.done).toBe(false);
  for (const part of [0.8, 0.5]) {
    expect(await until(left, (rows) => rows < entries * part, 600_000)).toBeGreaterThan(0);
    await kill();
    await start();
  }
  const finished = until(left, (rows) => rows === 0, 900_000);
  const busy = await notice(finished);
  expect(await finished).toBe(0);
  const isDone = async () =>
    (await database.query('SELECT FROM erasures')).length +
    (await database.query("SELECT FROM audit_entries WHERE action = 'contact.erase'")).length;
  expect(await until(isDone, (rows) => rows === 1, 60_000)).toBe(1);
  expect(await holding()).toBe(0);
  tell('erasure', {
    entries,
    seconds: (performance.now() - begun) / 1000,
    quiet,
    busy,
  });
  onlooker.stop();
  expect(busy.p99).toBeLessThan(Math.max(50, quiet.p99 * 5));
}, 1_800_000);

const afterMs = (ms: number) => {
  const end = performance.now() + ms;
  return (now: number) => now >= end;
};

test('a client who is refused again and again leaves no value in the log of the embedded database', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'crm refused '));
  const env = { DATABASE_URL: undefined, DATA_DIR: directory, RATE_LIMIT: 'off' };
  const embedded = await startProcess({ database }, env);
  const own = new Client(embedded.url);
  try {
    const token = await until(
      async () => /Bearer ([^']+)'/.exec(await readIfThere(join(directory, linkFile)))?.[1],
      (found) => found !== undefined,
      20_000,
    );
    const rest = new Rest(own, 1, token ?? '');
    const person = { email: `${marker}@example.com`, phone: '+5511987650000', full_name: marker };
    expect(await rest.post('/contacts', person)).toMatchObject({ status: 201 });
    const refused = [
      { email: person.email },
      { phone: person.phone },
      { full_name: `${marker} `.repeat(100) },
      { email: `${marker} at home` },
    ];
    for (let round = 0; round < 200; round++) {
      const answers = await Promise.all(refused.map((body) => rest.post('/contacts', body)));
      for (const { status } of answers) expect(status).toBe(422);
    }
    const log = await readFile(join(directory, 'postgres.log'), 'utf8');
    expect(log).not.toMatch(new RegExp(`${marker}|98765`));
    expect(log.length).toBeLessThan(10_000);
  } finally {
    own.close();
    process.kill(embedded.pid, 'SIGTERM');
    await embedded.exit;
    await rm(directory, { recursive: true, force: true });
  }
}, 120_000);

const readIfThere = (path: string) => readFile(path, 'utf8').catch(() => '');
