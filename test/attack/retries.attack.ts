/** Requests that are sent again and again with one key, to two processes, one of which is killed. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { freePort } from '../../src/postgres/free_port.ts';
import { isWrite, routes } from '../../src/rest/routes.ts';
import { createDatabase, type TestDatabase } from '../kit/database.ts';
import { type Answer, Client } from '../kit/http.ts';
import { killProcesses, killService, type ServiceProcess, startProcess } from '../kit/process.ts';
import { Rest } from '../kit/rest.ts';
import { type World, world } from '../kit/world.ts';
import { requestOf } from '../parity/call.ts';
import { cases } from '../parity/cases.ts';
import { tell } from './scene.ts';

const rounds = Number(process.env.RETRY_ROUNDS ?? 100);
const together = 50;

/** Requests of the rounds with kills, each sent until it is answered. */
const creations = 12_000;
const clients = 25;

let database: TestDatabase;
let processes: [ServiceProcess, ServiceProcess];
let port: number;
/** Of the process that nobody kills. */
let client: Client;

const start = (at: number) =>
  startProcess({ database }, { RATE_LIMIT: 'off', PORT: String(at), DATABASE_POOL: '10' });

beforeAll(async () => {
  database = await createDatabase();
  port = await freePort();
  processes = [await start(0), await start(port)];
  client = new Client(processes[0].url);
});
afterAll(async () => {
  client.close();
  killProcesses();
  await Promise.all(processes.map(({ exit }) => exit));
  await database.close();
});

/** An account as each process has it. */
const doorsOf = ({ rest, accountId, admin }: World, other: Client) =>
  [rest, new Rest(other, accountId, admin.token)] as const;

/** How many of these requests wrote anything according to the trail, and how many whole answers are kept. */
async function written(w: World, answers: readonly Answer[]) {
  const [row] = await database.query<{ requests: number; kept: number }>(
    `SELECT count(DISTINCT request_id)::integer AS requests,
       (SELECT count(*)::integer FROM idempotency_keys WHERE account_id = $1 AND part = 0) AS kept
     FROM audit_entries WHERE account_id = $1 AND request_id = ANY($2)`,
    [w.accountId, answers.map(({ headers }) => String(headers['x-request-id']))],
  );
  return row;
}

const writing = routes.filter(isWrite).map(({ operation }) => operation);
/** Of each kind of write a call that succeeds. */
const calls = writing.flatMap((operation) => {
  const first = cases.find((each) => each.operation === operation);
  return first ? [{ ...first, title: operation }] : [];
});

test('every kind of write is tried', () => {
  expect(calls.map(({ title }) => title)).toEqual(writing);
});

test.each(calls)('$title: fifty at once with one key do it once', async ({ operation, call }) => {
  const other = new Client(processes[1].url);
  const statuses: Record<number, number> = {};
  for (let round = 0; round < rounds; round += 1) {
    const w = await world({ client, database });
    const doors = doorsOf(w, other);
    const { method, path, body } = requestOf(operation, await call(w));
    const key = { 'idempotency-key': randomUUID() };
    const answers = await Promise.all(
      Array.from({ length: together }, (_, n) =>
        (n % 2 ? doors[1] : doors[0]).send(method, path, body, key),
      ),
    );
    const [{ status = 0, text = '' } = {}] = answers;
    for (const each of answers) expect([each.status, each.text]).toEqual([status, text]);
    expect(status).toBeLessThan(300);
    const first = answers.filter(({ headers }) => !headers['idempotent-replayed']);
    expect(first).toHaveLength(1);
    expect(await written(w, answers)).toEqual({
      requests: 1,
      kept: 1,
    });
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
  other.close();
  tell(operation, statuses);
});

test('what got no answer because its process was killed is done once when it is sent again', async () => {
  const [name, answers] = [`killed ${randomUUID()}`, new Map<string, Set<string>>()];
  let [left, unanswered, kills] = [creations, 0, 0];
  const w = await world({ client, database });
  const other = new Client(`https://127.0.0.1:${port}`);
  const two = doorsOf(w, other);
  const creating = async () => {
    while (left > 0) {
      left -= 1;
      const key = randomUUID();
      const texts = new Set<string>();
      answers.set(key, texts);
      // Once more than needed, so that each answer is repeated.
      for (let answered = 0, n = left; answered < 2; n += 1) {
        const answer = await (n % 2 ? two[1] : two[0])
          .post('/contacts', { full_name: name }, { 'idempotency-key': key })
          .catch(() => undefined);
        if (answer?.status === 201) {
          texts.add(answer.text);
          answered += 1;
        } else if (answer && answer.status !== 503 && answer.status !== 409) {
          throw new Error(`${answer.status} ${answer.text}`);
        } else {
          unanswered += 1;
          await sleep(20);
        }
      }
    }
  };
  let isOver = false;
  const killing = async () => {
    while (!isOver) {
      await sleep(700 + Math.random() * 500);
      const [, victim] = processes;
      await killService(victim);
      kills += 1;
      processes[1] = await start(port);
    }
  };
  const killed = killing();
  await Promise.all(Array.from({ length: clients }, creating));
  isOver = true;
  await killed;
  other.close();
  const [row] = await database.query<{ rows: number }>(
    'SELECT count(*)::integer AS rows FROM contacts WHERE account_id = $1 AND full_name = $2',
    [w.accountId, name],
  );
  const different = [...answers.values()].filter(({ size }) => size !== 1);
  tell('killed', { creations, kills, unanswered, rows: row?.rows, different: different.length });
  expect(different).toEqual([]);
  expect(row?.rows).toBe(creations);
  expect(kills).toBeGreaterThan(2);
});
