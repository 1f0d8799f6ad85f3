/**
 * `npm run bench:soak`: a steady load for SOAK_MINUTES (60), and whether the service is at its end
 * what it was near its beginning. SOAK_RATE (300) requests a second, SOAK_CONTACTS (20000) in the
 * database, BENCH_DIR (where the filled database is kept for the next run).
 *
 * Contacts and products of deals that are created are deleted again, the other writes are to the
 * records that there are, and the events about products are taken away behind the service's
 * back, or a contact would have a hundred of them in the end: only the audit grows.
 */
import { raw } from '../../src/db/sql/sql.ts';
import { type Bench, onFilledDatabase } from './database.ts';
import { faultsOf, type Report } from './load.ts';
import { type Observation, startObserved } from './observed.ts';
import { median } from './percentiles.ts';
import { answeringOf, memoryOf, stopTarget } from './processes.ts';

const minutes = Number(process.env.SOAK_MINUTES ?? 60);
const rate = Number(process.env.SOAK_RATE ?? 300);
/** Enough for a third of a second of requests without an answer, and some. */
const connections = 256;
const warmUpSeconds = 5;

/** In percent. */
const mix = {
  'contact get': 30,
  'deal get': 30,
  'contact search': 10,
  'deal search': 10,
  'contact create': 4,
  'deal update': 4,
  'contact upsert': 4,
  'deal product create': 3,
  'dashboard query': 5,
};

/** The first five minutes are for compilers, caches and pools; of a short run, its first quarter. */
const settledAfter = Math.min(5, minutes / 4);
/** A run has twelve reports or more, a long one each minute one. */
const reportEvery = Math.min(1, minutes / 12);

const clearEvents = raw(
  "DELETE FROM events WHERE kind LIKE 'deal_product_%' AND created_at > now() - interval '1 minute'",
);

const limits = { growth: 1.1, slowdown: 1.5 };

await onFilledDatabase(Number(process.env.SOAK_CONTACTS ?? 20_000), soak);

async function soak(bench: Bench): Promise<void> {
  const { target, observe } = await startObserved(bench, 1, true);
  const pid = target.process.pid ?? 0;
  const load = {
    port: target.port,
    token: bench.token,
    contacts: bench.contacts,
    mix,
    connections,
  };
  try {
    console.log(`${rate} requests/s for ${minutes} minutes`);
    console.log('  minute  requests    errors    p50 ms    p99 ms   RSS MiB');
    const reports: Report[] = [];
    let settled: Promise<Observation> | undefined;
    // Nobody sends a service its full load in its first second.
    await bench.generator.run({ ...load, connections: 8, seconds: warmUpSeconds, removes: true });
    const start = performance.now();
    const clearing = setInterval(() => void bench.db.query(clearEvents), 10_000);
    const total = await bench.generator.run(
      { ...load, rate, seconds: 60 * minutes, every: 60 * reportEvery, removes: true },
      {
        started: () => {
          setTimeout(() => (settled = observe(answeringOf(target))), 60_000 * settledAfter);
        },
        report: (report) => {
          // What is left over after the last whole one says little.
          if (report.good + faultsOf(report) < rate * 30 * reportEvery) return;
          reports.push(report);
          console.log(line((performance.now() - start) / 60_000, report, memoryOf(pid)));
        },
      },
    );
    clearInterval(clearing);
    if (!settled) throw new Error('the run ended before the service had settled');
    const kept = verdict(total, reports, await settled, await observe(answeringOf(target)));
    if (!kept) process.exitCode = 1;
  } finally {
    await stopTarget(target);
  }
}

function line(minute: number, report: Report, resident: number): string {
  return [
    minute.toFixed(2),
    String(report.good + faultsOf(report)),
    String(faultsOf(report)),
    report.p50.toFixed(2),
    report.p99.toFixed(2),
    resident.toFixed(0),
  ]
    .map((cell, at) => cell.padStart(at === 0 ? 8 : 10))
    .join('');
}

/** @returns whether all of it is as it should be */
function verdict(
  total: Report,
  reports: readonly Report[],
  settled: Observation,
  end: Observation,
): boolean {
  const errors = faultsOf(total);
  const heap = end.heap / settled.heap;
  const resident = end.resident / settled.resident;
  const quarter = Math.max(1, Math.floor(reports.length / 4));
  const [first, last] = [reports.slice(0, quarter), reports.slice(-quarter)].map((some) =>
    median(some.map(({ p99 }) => p99)),
  );
  const slowdown = (last ?? 0) / (first ?? 1);
  const kept = [
    errors === 0,
    heap <= limits.growth,
    resident <= limits.growth,
    slowdown <= limits.slowdown,
  ];
  const says = (holds: boolean | undefined) => (holds ? 'holds' : 'does NOT hold');
  const percent = (ratio: number) => `${((ratio - 1) * 100).toFixed(1)} %`;
  const { good, others, broken, unsent } = total;
  console.log(`
errors: ${errors} of ${good + errors} requests: ${says(kept[0])}${errors > 0 ? `: ${JSON.stringify({ others, broken: broken.length, unsent })}` : ''}
memory after a collection, from minute ${settledAfter} to the end, at most 10 % more:
  heap ${settled.heap.toFixed(1)} to ${end.heap.toFixed(1)} MiB, ${percent(heap)}: ${says(kept[1])}
  RSS ${settled.resident.toFixed(0)} to ${end.resident.toFixed(0)} MiB, ${percent(resident)}: ${says(kept[2])}
p99 of the last quarter at most 1.5 times that of the first: ${first?.toFixed(2)} to ${last?.toFixed(2)} ms, ${slowdown.toFixed(2)} times: ${says(kept[3])}`);
  return kept.every(Boolean);
}
