/**
 * `npm run bench:search`: searches through the service over HTTPS beside the same answers by
 * hand-written SQL, in turns, on a database of 50 accounts that grows; the searches are of the
 * account that holds a quarter.
 * Options by environment: BENCH_SIZES (10000,100000,1000000 contacts), BENCH_SAMPLES (200) and
 * BENCH_SECONDS (10) at most for a search, BENCH_ONLY (part of a name).
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { keysOf } from '../../src/auth/keys.ts';
import { issueToken } from '../../src/auth/tokens.ts';
import type { Database } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrations/migrate.ts';
import { openDatabase } from '../../src/db/open.ts';
import { startEmbedded } from '../../src/postgres/embedded.ts';
import { serviceProgram, startTarget } from './processes.ts';
import { type Asked, assertSame, byHand, request, scan, statements } from './search_answers.ts';
import { type SearchCase, searchCases } from './search_cases.ts';
import { measure, type Way } from './search_measure.ts';
import { heading, type Result, row, targets } from './search_report.ts';
import { grow, largest, takeSamples } from './search_seed.ts';
import { type Handwritten, handwritten, openPool, perPage } from './search_sql.ts';
import { Line } from './wire.ts';

const sizes = (process.env.BENCH_SIZES ?? '10000,100000,1000000').split(',').map(Number);
const effort = {
  samples: Number(process.env.BENCH_SAMPLES ?? 200),
  seconds: Number(process.env.BENCH_SECONDS ?? 10),
};
const only = process.env.BENCH_ONLY ?? '';
const secret = 'a secret of the benchmark that is long enough';
/** Quick at any size. */
const selective = searchCases.filter(({ promise }) => promise === 'selective');

console.log(keepToOneCore() ? 'All on one core.' : 'On several cores: taskset cannot be had.');
const folder = mkdtempSync(join(tmpdir(), 'crm bench '));
const embedded = await startEmbedded(folder);
const db = await openDatabase({ url: embedded.url, statementTimeoutMs: 3_600_000 });
try {
  await migrate(embedded.url);
  await grow(db, 0, sizes[0] ?? 0);
  await measureAll(await createToken(db));
} finally {
  await db.close();
  await embedded.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function measureAll(token: string): Promise<void> {
  const service = await startTarget('service', serviceProgram, {
    DATABASE_URL: embedded.url,
    DATA_DIR: folder,
    JWT_SECRET: secret,
    RATE_LIMIT: 'off',
    LOG_LEVEL: 'warn',
    STATEMENT_TIMEOUT: '60s',
    REQUEST_TIMEOUT: '60s',
  });
  const pool = openPool(embedded.url);
  const line = new Line(service.port);
  const results: Result[] = [];
  try {
    for (const [at, size] of sizes.entries()) {
      if (at > 0) await grow(db, sizes[at - 1] ?? 0, size);
      const asked = { service, line, token, db, pool, samples: await takeSamples(db) };
      await warmUp(asked, at === 0 ? searchCases : selective);
      console.log(`\n${size.toLocaleString('en')} contacts, ${load()}\n${heading}`);
      for (const search of searchCases.filter((search) => isWanted(search, size))) {
        const result = await compare(asked, search, size);
        results.push(result);
        console.log(row(result));
      }
    }
  } finally {
    line.close();
    await pool.end();
    service.process.kill();
  }
  console.log(`\n${load()} at the end\n${targets(results).join('\n')}`);
}

/**
 * One process waits for the next here, client for service for database, so a second core does no
 * work; but on a virtual machine it takes longer to wake than many a search.
 * @returns whether this process and those that it starts from now on have one core
 */
function keepToOneCore(): boolean {
  const { status } = spawnSync('taskset', ['-a', '-c', '-p', '0', String(process.pid)]);
  return status === 0;
}

function load(): string {
  return `load ${loadavg()[0]?.toFixed(1)}`;
}

/** The account has a quarter of the contacts, and the page must be one of its own. */
function isWanted({ name, page = 1 }: SearchCase, size: number): boolean {
  return name.includes(only) && (page - 1) * perPage < size / 4;
}

async function createToken(on: Database): Promise<string> {
  const { token } = await issueToken(on, {
    accountId: largest,
    userId: largest,
    name: 'bench',
    scopes: ['*'],
    ttl: null,
    keys: keysOf([secret]),
    now: new Date(),
  });
  return token;
}

/**
 * Compilers have their time before each size: V8 drops part of what it has compiled when nothing
 * comes for a minute, as while a database grows.
 */
async function warmUp(asked: Asked, searches: readonly SearchCase[]): Promise<void> {
  const ways = searches.flatMap((search): Way[] => [
    (n) => request(asked, search, n),
    statements(asked, search),
  ]);
  for (let n = 0; n * searches.length < 3500; n++) for (const way of ways) await way(n);
}

async function compare(asked: Asked, search: SearchCase, size: number): Promise<Result> {
  const variants = handwritten(search);
  for (const variant of variants) await assertSame(asked, search, variant);
  const best = await bestOf(asked, search, variants);
  const times = await measure(
    {
      request: (n) => request(asked, search, n),
      statement: statements(asked, search),
      byHand: (n) => byHand(asked, search, best, n),
      ...(search.promise === 'short' ? { scan: (n: number) => scan(asked, search, n) } : {}),
    },
    effort,
  );
  const of = (way: string) => {
    const found = times.get(way);
    if (!found) throw new Error(`${search.name}: the ${way} was not measured`);
    return found;
  };
  return {
    search,
    size,
    request: of('request'),
    statement: of('statement'),
    byHand: of('byHand'),
    way: best.name,
    ...(search.promise === 'short' ? { scan: of('scan') } : {}),
  };
}

/** The fastest of the ways to write it, by a few runs of each. */
async function bestOf(
  asked: Asked,
  search: SearchCase,
  variants: readonly Handwritten[],
): Promise<Handwritten> {
  const ways = variants.map(
    (variant) => [variant.name, (n: number) => byHand(asked, search, variant, n)] as const,
  );
  const times = await measure(Object.fromEntries(ways), { samples: 20, seconds: 10 });
  const p50 = ({ name }: Handwritten) => times.get(name)?.p50 ?? Number.POSITIVE_INFINITY;
  return variants.reduce((best, variant) => (p50(variant) < p50(best) ? variant : best));
}
