/**
 * `npm run bench:workers`: what a second worker costs, beside a second process of the reference, how
 * requests spread over two, and what is lost when one of them is killed under load.
 *
 * Processes differ for as long as they live by what V8 made of their code, so several are compared,
 * one after the other.
 * Options by environment: WORKERS_STARTS (2) of all of them, BENCH_ROUNDS (9) after each,
 * BENCH_SECONDS (1) a round, WORKERS_CONTACTS (20000) in the database, BENCH_DIR (where the filled
 * database is kept for the next run).
 */
import { type Bench, onFilledDatabase } from './database.ts';
import type { Report } from './load.ts';
import { type Measure, measure, medians } from './measure.ts';
import { type Observed, startObserved } from './observed.ts';
import { operationNamed } from './operations.ts';
import { median } from './percentiles.ts';
import {
  childrenOf,
  peersOf,
  referenceProgram,
  startTarget,
  stopTarget,
  type Target,
} from './processes.ts';

const starts = Number(process.env.WORKERS_STARTS ?? 2);
const rounds = Number(process.env.BENCH_ROUNDS ?? 9);
const seconds = Number(process.env.BENCH_SECONDS ?? 1);
/**
 * For each operation, twice, and with two workers twice that, for each has a compiler of its own and
 * sees half of the requests: it takes some six thousand until a worker's updates cost no less.
 */
const warmUpSeconds = 3;
const connections = 32;
const operations = [
  'contact get',
  'deal get',
  'deal search',
  'dashboard query',
  'contact create',
  'deal update',
];
const targets = { cpu: 1.2, share: 0.4 };

const whose = { Node: 'Node', all: 'Node and PostgreSQL' };

const percent = (share: number) => `${(100 * share).toFixed(0)} %`;
const says = (holds: boolean) => (holds ? 'holds' : 'does NOT hold');

await onFilledDatabase(Number(process.env.WORKERS_CONTACTS ?? 20_000), measureWorkers);

/** Of one operation; `shares` are the lesser worker's of its requests. */
interface Found {
  readonly service: Pair[];
  readonly reference: Pair[];
  readonly shares: number[];
}

async function measureWorkers(bench: Bench): Promise<void> {
  const found = new Map(
    operations.map((name): [string, Found] => [name, { service: [], reference: [], shares: [] }]),
  );
  for (let start = 1; start <= starts; start++) {
    const one = await startObserved(bench, 1, false);
    const two = await startObserved(bench, 2, false);
    const alone = await startReference(bench, 1);
    const both = await startReference(bench, 2);
    const all = [one.target, two.target, alone, both];
    try {
      for (const name of [...operations, ...operations]) {
        for (const target of [...all, two.target, both]) {
          await timed(bench, name, target, warmUpSeconds);
        }
      }
      for (const [name, { service, reference, shares }] of found) {
        const before = await requestsOf(two);
        for (let round = 0; round < rounds; round++) {
          service.push(await pairOf(bench, name, [one.target, two.target], round));
          reference.push(await pairOf(bench, name, [alone, both], round));
        }
        const after = await requestsOf(two);
        shares.push(lesserShare(after.map((count, at) => count - (before[at] ?? 0))));
      }
      if (start === starts) await killOne(bench, two);
    } finally {
      await Promise.all(all.map(stopTarget));
    }
  }
  tellAll(found);
}

function startReference({ env }: Bench, workers: number): Promise<Target> {
  return startTarget('reference', referenceProgram, { ...env, WORKERS: String(workers) });
}

function timed(bench: Bench, name: string, target: Target, duration = seconds): Promise<Measure> {
  const operation = operationNamed(name, bench.contacts);
  return measure(bench, target, operation, { seconds: duration, connections });
}

/** What was measured right after each other, with one process and with two. */
type Pair = readonly [alone: Measure, both: Measure];

/** Each goes first in its turn: a machine that grows slower would favour the one that always did. */
async function pairOf(
  bench: Bench,
  name: string,
  [one, two]: readonly [one: Target, two: Target],
  round: number,
): Promise<Pair> {
  if (round % 2 === 0) return [await timed(bench, name, one), await timed(bench, name, two)];
  const both = await timed(bench, name, two);
  return [await timed(bench, name, one), both];
}

function tellAll(found: ReadonlyMap<string, Found>): void {
  console.log('\none worker and two');
  const ratios = [...found].map(([name, { service }]) => tell(name, service));
  console.log('\none process of the reference and two');
  for (const [name, { reference }] of found) tell(name, reference);
  for (const of of ['Node', 'all'] as const) {
    const worst = Math.max(...ratios.map((ratio) => ratio[of]));
    console.log(
      `CPU of ${whose[of]} a request with two workers, at most ${targets.cpu} times that with one: ${worst.toFixed(2)} at worst: ${says(worst <= targets.cpu)}`,
    );
  }
  const min = [...found.values()].map(({ shares }) => Math.min(...shares));
  console.log(
    `requests to the lesser of the two workers, at least ${percent(targets.share)}: ${min.map(percent).join(', ')}: ${says(Math.min(...min) >= targets.share)}`,
  );
}

/** How many times the processor time of one process a request takes with two. */
interface Ratios {
  readonly Node: number;
  /** PostgreSQL's included. */
  readonly all: number;
}

function tell(name: string, pairs: readonly Pair[]): Ratios {
  const alone = medians(pairs.map(([measured]) => measured));
  const together = medians(pairs.map(([, measured]) => measured));
  // Of rounds next to each other: the machine's own speed changes meanwhile.
  const ratioOf = (cpu: (of: Measure) => number) =>
    median(pairs.map(([alone, both]) => cpu(both) / cpu(alone)));
  const ratios = {
    Node: ratioOf(({ node }) => node),
    all: ratioOf(({ node, postgres }) => node + postgres),
  };
  const both = (of: (measured: Measure) => number, digits: number) =>
    `${of(alone).toFixed(digits)} and ${of(together).toFixed(digits)}`;
  console.log(
    [
      name.padEnd(16),
      `CPU of Node ${both(({ node }) => node, 0)} µs, ${ratios.Node.toFixed(2)} times`,
      `with PostgreSQL ${both(({ node, postgres }) => node + postgres, 0)} µs, ${ratios.all.toFixed(2)} times`,
      `${both(({ rate }) => rate, 0)} requests/s`,
      `p99 ${both(({ p99 }) => p99, 1)} ms`,
    ].join(' | '),
  );
  return ratios;
}

/** How many came to each worker so far. */
function requestsOf({ target, observe }: Observed): Promise<number[]> {
  const workers = childrenOf(target.process.pid ?? 0);
  return Promise.all(workers.map(async (pid) => (await observe(pid)).requests));
}

function lesserShare(counts: readonly number[]): number {
  return Math.min(...counts) / counts.reduce((sum, count) => sum + count, 0);
}

async function killOne(bench: Bench, { target }: Observed): Promise<void> {
  const [victim] = childrenOf(target.process.pid ?? 0);
  if (victim === undefined) throw new Error('there is no worker');
  let held = new Set<number>();
  const report: Report = await bench.generator.run(
    {
      port: target.port,
      token: bench.token,
      contacts: bench.contacts,
      mix: { 'deal get': 1 },
      connections,
      seconds: 4,
    },
    {
      started: () => {
        setTimeout(() => {
          held = peersOf(victim, target.port);
          process.kill(victim, 'SIGKILL');
        }, 2000);
      },
    },
  );
  const elsewhere = report.broken.filter((port) => !held.has(port)).length;
  const wrong = Object.values(report.others).reduce((sum, count) => sum + count, 0);
  const workers = childrenOf(target.process.pid ?? 0).filter((pid) => pid !== victim).length;
  console.log(
    `one worker killed under load: ${report.broken.length} requests lost of ${report.good}, one at most on each of its ${held.size} connections; elsewhere ${elsewhere} lost, ${wrong} answered wrong: ${says(elsewhere === 0 && wrong === 0 && report.broken.length <= held.size)}; ${workers} workers after it`,
  );
}
