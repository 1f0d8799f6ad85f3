/** Histories of the running service, and of the same with bugs that they must show. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { freePort } from '../../src/postgres/free_port.ts';
import { createDatabase } from '../kit/database.ts';
import { Client } from '../kit/http.ts';
import { childrenOf } from '../kit/proc.ts';
import { killProcesses, startProcess } from '../kit/process.ts';
import { until } from '../kit/wait.ts';
import { world } from '../kit/world.ts';
import { type Bug, bugs } from './history/bugs.ts';
import { History } from './history/clients.ts';
import { versionWith } from './history/version.ts';
import { tell } from './scene.ts';

const seconds = Number(process.env.HISTORY_SECONDS ?? 300);
const secondsOfBug = Number(process.env.HISTORY_BUG_SECONDS ?? 20);

afterAll(killProcesses);

/** What clients see while workers are killed, and all connections to the database ended, in turns; or of a bug. */
async function seen(lasting: number, bug?: Bug) {
  const database = await createDatabase();
  if (bug?.sql !== undefined) await database.query(bug.sql);
  const patched = bug?.patches && (await versionWith(bug));
  // A port of its own: one that the system chose would be another after a moment without workers.
  const settings = { WORKERS: '2', RATE_LIMIT: 'off', PORT: String(await freePort()) };
  const service = await startProcess(
    { database },
    settings,
    patched ? { version: patched.version } : {},
  );
  const client = new Client(service.url);
  const w = await world({ client, database });
  const history = await History.open(w, () => new Client(service.url));
  const kills = { workers: 0, connections: 0 };
  let isOver = false;
  const killing = (async () => {
    // What was put in must show by itself: after each kill clients wait for a while, and meet less often.
    for (let n = 0; !isOver && !bug; n += 1) {
      // Only who is at work again is worth killing.
      const { appends } = history.counts;
      await until(async () => isOver || history.counts.appends > appends + 50, Boolean, 10_000);
      if (isOver) break;
      const [worker] = childrenOf(service.pid);
      if (n % 3 < 2 && worker !== undefined) {
        kills.workers += 1;
        process.kill(worker, 'SIGKILL');
      } else {
        kills.connections += 1;
        await database.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND application_name = 'crm'`,
        );
      }
    }
  })();
  const over = sleep(lasting * 1000);
  void over.then(() => {
    isOver = true;
  });
  const anomalies = await history.run(over);
  await killing;
  tell(bug?.name ?? 'as it is', { ...history.counts, ...kills, anomalies: anomalies.length });
  if (anomalies[0] !== undefined) tell('first', { of: anomalies[0] });
  client.close();
  process.kill(service.pid, 'SIGTERM');
  await service.exit;
  await patched?.remove();
  await database.close();
  return { anomalies, counts: history.counts };
}

test('nothing is lost, torn, stale or out of order while workers and connections are killed', async () => {
  const { anomalies, counts } = await seen(seconds);
  expect(anomalies).toEqual([]);
  // Where one of them is none, nothing was shown.
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(0);
}, 900_000);

test.each(bugs)(
  'it shows that $name',
  async (bug) => {
    expect((await seen(secondsOfBug, bug)).anomalies).not.toEqual([]);
  },
  300_000,
);
