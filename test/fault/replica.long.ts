/** Reads from a standby, for callers that prefer it: they miss nothing that was committed before. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Replica } from '../../src/db/connections/replica.ts';
import { migrate } from '../../src/db/migrations/migrate.ts';
import { openDatabase } from '../../src/db/open.ts';
import { type Statement, sql } from '../../src/db/sql/sql.ts';
import type { TestDatabase } from '../kit/database.ts';
import { openDatabase as databaseAt } from '../kit/database.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../kit/database_proxy.ts';
import { given } from '../kit/environment.ts';
import type { Answer } from '../kit/http.ts';
import { type Replicated, startReplicated } from '../kit/replicated.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/wait.ts';
import { unique, type World, world } from '../kit/world.ts';

let servers: Replicated;
let way: DatabaseProxy;
let primary: TestDatabase;
let standby: TestDatabase;
let service: Service;
let w: World;
beforeAll(async () => {
  servers = await startReplicated(join(given('CRM_TEST_DIRECTORY'), 'replicated'));
  await migrate(servers.primary);
  primary = databaseAt(servers.primary);
  standby = databaseAt(servers.standby);
  way = await startDatabaseProxy(servers.standby);
  service = await start({});
  w = await world(service);
}, 40_000);
afterAll(async () => {
  await service.close();
  await way.close();
  await standby.close();
  await primary.close();
  await servers.stop();
});

const start = (env: Readonly<Record<string, string>>) =>
  startService({
    database: primary,
    env: { DATABASE_URL: servers.primary, DATABASE_READ_URL: way.url, ...env },
  });

const fromReplica = { prefer: 'replica' };
const isFromReplica = ({ headers }: Answer) => headers['preference-applied'] === 'replica';
const get = (id: number, headers: Record<string, string> = fromReplica) =>
  w.rest.get(`/contacts/${id}`, headers);

const caller = () => ({ account: w.accountId, until: Number.POSITIVE_INFINITY });

/** Until the standby is asked again after it failed. */
const answering = async (id: number) =>
  expect(isFromReplica(await until(() => get(id), isFromReplica, 5000))).toBe(true);

test('a standby answers whoever prefers it, and nobody else', async () => {
  const contact = await w.contact();
  await answering(contact.id);
  expect((await get(contact.id)).body).toMatchObject({ id: contact.id });
  expect(isFromReplica(await get(contact.id, {}))).toBe(false);
  const query = { email_eq: contact.email };
  const found = await w.rest.post('/contacts/search', { query }, fromReplica);
  expect([isFromReplica(found), found.body]).toMatchObject([true, { data: [{ id: contact.id }] }]);
});

test('a read sees what was written before, whoever wrote it and wherever it is read', async () => {
  const contact = await w.contact();
  await answering(contact.id);
  const read: boolean[] = [];
  for (let n = 0; n < 50; n += 1) {
    const full_name = unique('name');
    await w.rest.put(`/contacts/${contact.id}`, { full_name });
    const answer = await get(contact.id);
    expect(answer.body).toMatchObject({ full_name });
    read.push(isFromReplica(answer));
  }
  expect(read).toContain(true);
});

test('what is written goes to the primary alone, with the preference too', async () => {
  const { id } = await w.contact();
  await answering(id);
  const full_name = unique('name');
  const answer = await w.rest.post('/contacts', { full_name }, fromReplica);
  expect([answer.status, isFromReplica(answer)]).toEqual([201, false]);
  // A standby that had refused it would not be asked again at once.
  expect(isFromReplica(await get(id))).toBe(true);
});

test('the primary answers while the standby stays behind', async () => {
  const contact = await w.contact();
  await answering(contact.id);
  await standby.query('SELECT pg_wal_replay_pause()');
  try {
    const full_name = unique('name');
    await w.rest.put(`/contacts/${contact.id}`, { full_name });
    const answer = await get(contact.id);
    expect([isFromReplica(answer), answer.body]).toMatchObject([false, { full_name }]);
  } finally {
    await standby.query('SELECT pg_wal_replay_resume()');
  }
  await answering(contact.id);
});

test('the primary answers while the standby is gone', async () => {
  const contact = await w.contact();
  await answering(contact.id);
  way.cut();
  try {
    const answer = await get(contact.id);
    expect([answer.status, isFromReplica(answer)]).toEqual([200, false]);
  } finally {
    way.mend();
  }
  await answering(contact.id);
});

test('the primary answers for a standby of another timeline, however far that is', async () => {
  const real = await openDatabase({ url: servers.primary });
  const other = await openDatabase({ url: servers.standby });
  const forked = new Replica(
    {
      query: async (statement, options) => {
        const [position] = await real.query<{ lsn: string; timeline: string }>(statement, options);
        return [{ ...position, timeline: '00000002' }] as never[];
      },
    },
    other,
  );
  const answered: boolean[] = [];
  const reading = forked.reading(caller(), real, (isFromStandby) => answered.push(isFromStandby));
  await reading.query(sql`SELECT 1`, { reads: true });
  expect(answered).toEqual([false]);
  await forked.close();
  await real.close();
});

test('a read that takes too long is not done again on the primary', async () => {
  const sent: string[] = [];
  const options = { statementTimeoutMs: 200 };
  const onStatement = (text: string) => void sent.push(text);
  const real = await openDatabase({ url: servers.primary, ...options, onStatement });
  const replica = new Replica(real, await openDatabase({ url: servers.standby, ...options }));
  const reading = replica.reading(caller(), real, () => undefined);
  const slow: Statement = sql`SELECT pg_sleep(1)`;
  const read = () => reading.query(slow, { reads: true });
  await expect(read()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(sent).not.toContain(slow.text);
  await replica.close();
  await real.close();
});

test('a role that cannot see what the standby follows is told at the start', async () => {
  await primary.query("CREATE ROLE reader LOGIN PASSWORD 'reader'");
  const url = new URL(servers.standby);
  url.username = 'reader';
  url.password = 'reader';
  const known = () => standby.query<{ n: number }>("SELECT FROM pg_roles WHERE rolname = 'reader'");
  await until(known, (rows) => rows.length === 1, 5000);
  // A start does not wait long for a standby, and goes on without it.
  const told = () =>
    start({ DATABASE_READ_URL: url.href }).then(
      (started) => started.close(),
      (error: unknown) => error,
    );
  expect(await until(told, (error) => error !== undefined, 15_000)).toMatchObject({
    message: 'DATABASE_READ_URL needs: GRANT pg_read_all_stats TO "reader"',
  });
});

test('a standby that was promoted is not asked any more', async () => {
  const contact = await w.contact();
  await answering(contact.id);
  const connections = () =>
    standby.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM pg_stat_activity
       WHERE application_name = 'crm' AND datname = current_database()`,
    );
  expect((await connections())[0]?.n).toBeGreaterThan(0);
  await standby.query('SELECT pg_promote()');
  const { status } = await get(contact.id);
  expect(status).toBe(200);
  expect(isFromReplica(await get(contact.id))).toBe(false);
  expect(await until(connections, ([found]) => found?.n === 0, 5000)).toEqual([{ n: 0 }]);
});
