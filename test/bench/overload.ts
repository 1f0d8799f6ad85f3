/**
 * `npm run bench:overload`: what becomes of the service's good answers when far more is asked than
 * it can do. First its peak is found, by 32 connections that ask again at every answer; then come
 * three times as many requests, whatever has become of those before; then 1,500 connections that
 * ask again at once when they are refused. Options by environment: OVERLOAD_SECONDS (15) of each
 * load, LOG_LEVEL (warn) of the service, OVERLOAD_CONTACTS (20000) in the database, BENCH_DIR
 * (where the filled database is kept for the next run).
 */
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '../../src/config/config.ts';
import { type Bench, onFilledDatabase } from './database.ts';
import type { Load, Report } from './load.ts';
import { account, type Request } from './operations/operation.ts';
import { operationsOn } from './operations.ts';
import {
  answeringOf,
  cpuBeneath,
  cpuOf,
  send,
  serviceProgram,
  startTarget,
  stopTarget,
  type Target,
} from './processes.ts';
import { seedOf } from './seed.ts';

const seconds = Number(process.env.OVERLOAD_SECONDS ?? 15);
const mix = { 'deal get': 1 };
const targets = { share: 0.75, p99: 250, recovery: 2000 };

/** An answer that takes longer is not yet normal, in milliseconds. */
const normal = 100;
/** For this many milliseconds after a load the service is watched. */
const watchedMs = 4000;
/**
 * How many connections there are for each request a second. A refused client waits for its answer on one of
 * them; when all are waiting, requests that are due are not sent, and reported.
 */
const connectionsPerRate = 0.4;
/** Connections that the service has room for beside them: beyond MAX_CONNECTIONS it closes one for each new one. */
const spareConnections = 100;

type Flood = Pick<Load, 'connections' | 'rate'>;

await onFilledDatabase(Number(process.env.OVERLOAD_CONTACTS ?? 20_000), overload);

async function overload(bench: Bench): Promise<void> {
  rmSync(bench.serviceLog, { force: true });
  const service = await startTarget('service', serviceProgram, bench.env, {
    // A slow reader of its log would hold the service.
    log: bench.serviceLog,
  });
  const load = { port: service.port, token: bench.token, contacts: bench.contacts, mix, seconds };
  try {
    const findPeak = async () => {
      const report = await bench.generator.run({ ...load, connections: 32 });
      const { p50, p99 } = report;
      const peak = report.good / seconds;
      console.log(
        `\npeak: ${peak.toFixed(0)} requests/s, p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)} ms`,
      );
      return peak;
    };
    // For compilers and caches.
    await bench.generator.run({ ...load, connections: 32 });
    const max = readConfig({ ...process.env, ...bench.env }).maxConnections - spareConnections;
    let before = await findPeak();
    const rate = Math.round(3 * before);
    const floods: readonly [string, Flood][] = [
      [
        `${rate} requests/s, open loop`,
        {
          rate,
          connections: Math.min(Math.ceil(rate * connectionsPerRate), max),
        },
      ],
      ['1500 connections, at once again', { connections: 1500 }],
    ];
    for (const [name, flood] of floods) {
      const tell = await measureFlood(bench, service, name, flood);
      // Beside the peak before it and after it: the machine may have other work meanwhile.
      const after = await findPeak();
      console.log(tell((before + after) / 2).join('\n'));
      before = after;
    }
  } finally {
    await stopTarget(service);
  }
}

async function measureFlood(
  bench: Bench,
  service: Target,
  name: string,
  flood: Flood,
): Promise<(peak: number) => string[]> {
  let recovered: Promise<number> | undefined;
  const used = () => [answeringOf(service), bench.generator.pid].map(cpuOf);
  const database = () => cpuBeneath(bench.postmaster);
  let before = [...used(), database()];
  let after = before;
  const report = await bench.generator.run(
    { port: service.port, token: bench.token, contacts: bench.contacts, mix, seconds, ...flood },
    {
      started: () => {
        before = [...used(), database()];
      },
      stopped: () => {
        after = [...used(), database()];
        recovered = recovery(bench, service);
      },
    },
  );
  const shares = after.map((ms, at) => (ms - (before[at] ?? 0)) / (10 * seconds));
  const recoveredMs = await (recovered ?? 0);
  return (peak) => lines(name, report, peak, recoveredMs, shares);
}

/** @returns milliseconds until the last answer that was not normal */
async function recovery(bench: Bench, { port }: Target): Promise<number> {
  const operation = operationsOn(seedOf(bench.contacts)).find(({ name }) => name === 'deal get');
  const request: Request = operation?.request(account) ?? { method: 'GET', path: '/' };
  const start = performance.now();
  let last = 0;
  while (performance.now() - start < watchedMs) {
    const sent = performance.now();
    const answer = await send(port, request, bench.token).catch(() => undefined);
    const now = performance.now();
    if (answer?.status !== 200 || now - sent > normal) last = now - start;
    await sleep(20);
  }
  return last;
}

function lines(
  name: string,
  { good, p50, p99, others, bare, broken, unsent }: Report,
  peak: number,
  recoveredMs: number,
  [service, ours, postgres]: readonly number[],
): string[] {
  const { 503: refused = 0, ...wrong } = others;
  const errors = Object.values(wrong).reduce((sum, count) => sum + count, 0) + broken.length;
  const share = good / seconds / peak;
  const says = (holds: boolean) => (holds ? 'holds' : 'does NOT hold');
  return [
    `${name}`,
    `  good answers ${(good / seconds).toFixed(0)}/s, ${(100 * share).toFixed(0)} % of the peak, at least ${100 * targets.share} %: ${says(share >= targets.share)}`,
    `  of these p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)} ms, less than ${targets.p99} ms: ${says(p99 < targets.p99)}`,
    `  refused with 503: ${refused}, without Retry-After ${bare}: ${says(bare === 0)}`,
    `  other errors: ${errors}: ${says(errors === 0)}${errors > 0 ? ` ${JSON.stringify(wrong)}, ${broken.length} broken` : ''}`,
    `  normal again after ${recoveredMs.toFixed(0)} ms, at most ${targets.recovery} ms: ${says(recoveredMs <= targets.recovery)}`,
    `  CPU: service ${service?.toFixed(0)} %, PostgreSQL ${postgres?.toFixed(0)} %, generator ${ours?.toFixed(0)} %${unsent > 0 ? `; ${unsent} requests not sent, no connection was free` : ''}`,
  ];
}
