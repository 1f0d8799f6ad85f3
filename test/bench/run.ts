/**
 * `npm run bench`: the service beside a hand-written reference, on the same database, in turns.
 * Options by environment: BENCH_ROUNDS (5), BENCH_SECONDS (3) a round, BENCH_ONLY (part of a name).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import autocannon from 'autocannon';
import { issueToken, signingKey } from '../../src/auth/tokens.ts';
import { openDatabase } from '../../src/db/database.ts';
import { startEmbedded } from '../../src/db/embedded.ts';
import { migrate } from '../../src/db/migrate.ts';
import { raw } from '../../src/db/sql.ts';
import { account, type Operation, operations } from './operations.ts';
import { cpuBeneath, cpuOf, memoryOf, send, startTarget, type Target } from './processes.ts';
import { seed } from './seed.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const seconds = Number(process.env.BENCH_SECONDS ?? 3);
const only = process.env.BENCH_ONLY ?? '';
const connections = 32;

interface Measure {
  /** Answers of the right status a second. */
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of processor time an answer. */
  readonly node: number;
  readonly postgres: number;
}

/** No two requests of a run are the same, whichever target they go to. */
let count = 0;

const folder = mkdtempSync(join(tmpdir(), 'crm bench '));
const embedded = await startEmbedded(folder);
const db = await openDatabase({ url: embedded.url, statementTimeoutMs: 600_000 });
try {
  await migrate(embedded.url);
  console.error('seeding');
  await seed(db);
  await measureAll();
} finally {
  await db.close();
  await embedded.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function measureAll(): Promise<void> {
  const secret = 'a secret of the benchmark that is long enough';
  const key = signingKey(secret);
  const token = await issueToken(db, {
    accountId: account,
    userId: account,
    name: 'bench',
    ttl: null,
    key,
    now: new Date(),
  });
  const env = {
    DATABASE_URL: embedded.url,
    DATA_DIR: folder,
    JWT_SECRET: secret,
    RATE_LIMIT: 'off',
    LOG_LEVEL: 'warn',
    WORKERS: '1',
  };
  const service = await startTarget('service', ['dist/main.js'], env);
  const reference = await startTarget(
    'reference',
    ['--import', 'tsx', 'test/bench/reference.ts'],
    env,
  );
  try {
    for (const operation of operations) {
      if (operation.name.includes(only)) await compare(operation, service, reference, token);
    }
    console.log(`memory: service ${memory(service)} MiB, reference ${memory(reference)} MiB`);
  } finally {
    service.process.kill();
    reference.process.kill();
  }
}

async function compare(
  operation: Operation,
  service: Target,
  reference: Target,
  token: string,
): Promise<void> {
  await assertSame(operation, service, reference, token);
  const measures = new Map<Target, Measure[]>([
    [service, []],
    [reference, []],
  ]);
  for (let round = -1; round < rounds; round++) {
    for (const [target, list] of measures) {
      const measure = await load(operation, target, token);
      // The first round is for compilers and caches.
      if (round >= 0) list.push(measure);
    }
  }
  const ours = medians(measures.get(service) ?? []);
  const theirs = medians(measures.get(reference) ?? []);
  console.log(
    [
      operation.name.padEnd(20),
      `ratio ${(ours.rate / theirs.rate).toFixed(2)}`,
      `p99 ratio ${(ours.p99 / theirs.p99).toFixed(2)}`,
      ...[ours, theirs].map(
        (m) =>
          `${m.rate.toFixed(0)}/s p50 ${m.p50.toFixed(1)} p99 ${m.p99.toFixed(1)} ms, CPU ${m.node.toFixed(0)} + ${m.postgres.toFixed(0)} µs`,
      ),
    ].join(' | '),
  );
}

function memory(target: Target): string {
  return memoryOf(target.process.pid ?? 0).toFixed(0);
}

/** A reference that answers something else measures nothing. */
async function assertSame(
  operation: Operation,
  service: Target,
  reference: Target,
  token: string,
): Promise<void> {
  const [a, b] = [
    await send(service.port, operation.request(count++), token),
    await send(
      reference.port,
      operation.request(operation.kind === 'write' ? count++ : count - 1),
      token,
    ),
  ];
  if (a.status !== operation.status || b.status !== operation.status) {
    throw new Error(`${operation.name}: ${a.status} ${a.text} and ${b.status} ${b.text}`);
  }
  const [x, y]: unknown[] = [JSON.parse(a.text), JSON.parse(b.text)];
  const same =
    operation.kind === 'write' ? isDeepStrictEqual(shape(x), shape(y)) : isDeepStrictEqual(x, y);
  if (!same) throw new Error(`${operation.name}: answers differ:\n${a.text}\n${b.text}`);
}

/** The names in a value, without what they hold. */
function shape(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return null;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shape(inner)]));
}

async function load(operation: Operation, target: Target, token: string): Promise<Measure> {
  const pid = target.process.pid ?? 0;
  const postmaster = await postmasterPid();
  const before = [cpuOf(pid), cpuBeneath(postmaster)] as const;
  let wrong = 0;
  const result = await autocannon({
    url: `https://127.0.0.1:${target.port}`,
    connections,
    duration: seconds,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    requests: [
      {
        setupRequest: (request) => {
          const { method, path, body } = operation.request(count++);
          return { ...request, method, path, ...(body === undefined ? {} : { body }) };
        },
        onResponse: (status) => {
          if (status !== operation.status) wrong++;
        },
      },
    ],
  });
  if (wrong > 0 || result.errors > 0) {
    throw new Error(`${operation.name}: ${wrong} wrong answers, ${result.errors} errors`);
  }
  const answers = result.requests.total;
  return {
    rate: answers / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    node: ((cpuOf(pid) - before[0]) * 1000) / answers,
    postgres: ((cpuBeneath(postmaster) - before[1]) * 1000) / answers,
  };
}

async function postmasterPid(): Promise<number> {
  const [row] = await db.query<{ pid: number }>(
    raw("SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int AS pid"),
  );
  return row?.pid ?? 0;
}

function medians(list: readonly Measure[]): Measure {
  const of = (field: keyof Measure) => {
    const sorted = list.map((measure) => measure[field]).sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? 0;
  };
  return {
    rate: of('rate'),
    p50: of('p50'),
    p99: of('p99'),
    node: of('node'),
    postgres: of('postgres'),
  };
}
