/**
 * `npm run test:fuzz`: requests that are derived from the OpenAPI document and from
 * `schema.graphql`, randomly changed, to a service of its own; every answer is checked against both.
 * By environment: FUZZ_SEED (of the clock), FUZZ_REST (20000) and FUZZ_GRAPHQL (5000) requests.
 * Exits with 1 and prints the requests when an answer is not as it should be.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrations/migrate.ts';
import { openDatabase } from '../../src/db/open.ts';
import { startEmbedded } from '../../src/postgres/embedded.ts';
import { serviceProgram, startTarget, stopTarget } from '../bench/processes.ts';
import { delivering, startReceiver } from '../kit/receiver.ts';
import { createAccounts, hashesOf, secret } from './accounts.ts';
import { graphqlRequest } from './graphql_requests.ts';
import { operations } from './operations.ts';
import { Random } from './random.ts';
import { readBack } from './read_back.ts';
import { restRequest } from './rest_mutations.ts';
import { type Asking, Session } from './session.ts';

const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 32);
const rest = Number(process.env.FUZZ_REST ?? 20_000);
const graphql = Number(process.env.FUZZ_GRAPHQL ?? 5000);
/** After this many requests everything is read back. */
const round = 100;
/** Once an operation was done so often, requests for it are changed. */
const proof = 3;
/** After this many rounds every record is also fetched by its id. */
const wholeEvery = 10;

const folder = mkdtempSync(join(tmpdir(), 'crm fuzz '));
const log = join(folder, 'service.log');
console.log(`FUZZ_SEED=${seed} FUZZ_REST=${rest} FUZZ_GRAPHQL=${graphql}`);
const embedded = await startEmbedded(folder);
try {
  await migrate(embedded.url);
  const db = await openDatabase({ url: embedded.url });
  try {
    await onService(db);
  } finally {
    await db.close();
  }
} finally {
  await embedded.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function onService(db: Database): Promise<void> {
  const accounts = await createAccounts(db);
  const env = {
    DATABASE_URL: embedded.url,
    DATA_DIR: folder,
    JWT_SECRET: secret,
    RATE_LIMIT: 'off',
    LOG_LEVEL: 'error',
    WORKERS: '1',
    ...delivering,
  };
  const receiver = await startReceiver((response, { bytes }) => {
    if (bytes.includes(accounts.foreign.marker)) {
      session.report.fail("a webhook is sent what is another account's", bytes.toString());
    }
    response.end();
  });
  const service = await startTarget('service', serviceProgram, env, { log });
  const session = new Session(service.port, accounts, receiver.url);
  try {
    await fuzz(session);
    await settle(session, db);
    console.log(`deliveries received: ${receiver.received.length}`);
  } finally {
    session.close();
    await stopTarget(service);
    await receiver.close();
  }
  const faults = readFileSync(log, 'utf8').split('\n').filter(Boolean);
  for (const fault of new Map(faults.map((line) => [causeOf(line), line])).keys()) {
    console.log(`the service logged: ${fault}`);
  }
  if (faults.length > 0 || session.report.failed) process.exitCode = 1;
}

async function fuzz(session: Session): Promise<void> {
  const random = new Random(seed);
  const account = {
    id: session.accounts.accountId,
    pool: session.pool,
    isProven: (name: string) => session.report.doneOf(name) >= proof,
  };
  const start = performance.now();
  let [asked, read] = [0, 0];
  await readBack(session, true);
  const order = operations.toSorted(() => random.next() - 0.5);
  const all = rest + graphql;
  for (let at = 0; at < all; at += round) {
    const askings = Array.from({ length: Math.min(round, all - at) }, (_, n): Asking => {
      const number = at + n;
      // As many of each kind in every round.
      const before = Math.floor((number * graphql) / all);
      const own = new Random(seed ^ Math.imul(number + 1, 0x9e3779b1));
      if (Math.floor(((number + 1) * graphql) / all) > before) {
        return { kind: 'GraphQL', make: () => graphqlRequest(own, before, account) };
      }
      const operation = order[(number - before) % order.length] ?? random.pick(order);
      return { kind: 'REST', make: () => restRequest(own, operation, account) };
    });
    let now = performance.now();
    await session.ask(askings);
    asked += performance.now() - now;
    now = performance.now();
    await readBack(session, (at / round) % wholeEvery === wholeEvery - 1);
    read += performance.now() - now;
  }
  await readBack(session, true);
  const seconds = (performance.now() - start) / 1000;
  console.log(session.report.lines().join('\n'));
  console.log(
    `${seconds.toFixed(0)} s, ${((all / asked) * 1000).toFixed(0)} requests/s, reading back ${(read / 1000).toFixed(0)} s`,
  );
}

/** What only the database can show once all is over. */
async function settle({ accounts, ledger, report }: Session, db: Database): Promise<void> {
  const { foreign, accountId } = accounts;
  const hashes = await hashesOf(db, foreign.accountId);
  const changed = [...foreign.hashes].filter(([table, hash]) => hashes.get(table) !== hash);
  const untold = await ledger.missing(db, accountId);
  console.log(
    `writes done: ${ledger.length}, without their audit entry: ${untold.length}; tables of the other account changed: ${changed.length}`,
  );
  for (const line of untold.slice(0, 5)) console.log(`  ${line}`);
  for (const [table] of changed) console.log(`  ${table}`);
  for (const name of report.neverDone) console.log(`never done: ${name}`);
  // Too few requests do not reach everything.
  const unreached = rest >= 20_000 && graphql >= 5000 ? report.neverDone.length : 0;
  if (untold.length + changed.length + unreached > 0) process.exitCode = 1;
}

/** What a line of the log says, without what makes each line different. */
function causeOf(line: string): string {
  try {
    const { err, msg } = JSON.parse(line);
    return `${msg}: ${String(err?.stack ?? err?.message ?? '').slice(0, 900)}`;
  } catch {
    return line;
  }
}
