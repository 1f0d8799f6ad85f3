/**
 * `npm run bench:tracing`: what it costs to record every request, beside a service that records none, and one
 * whose collector cannot be reached.
 * Options by environment: BENCH_ROUNDS (7), BENCH_SECONDS (3) a round, BENCH_ONLY (an operation, by default
 * `contact get`), BENCH_CONTACTS (20000), BENCH_DIR (where the filled database is kept for the next run).
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { freePort } from '../../src/postgres/free_port.ts';
import { type Bench, onFilledDatabase } from './database.ts';
import { inTurns, type Measure } from './measure.ts';
import { type Observed, startObserved } from './observed.ts';
import { operationNamed } from './operations.ts';
import { answeringOf, stopTarget } from './processes.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 7);
const seconds = Number(process.env.BENCH_SECONDS ?? 3);
const contacts = Number(process.env.BENCH_CONTACTS ?? 20_000);
const name = process.env.BENCH_ONLY ?? 'contact get';
const connections = 32;
/** Of the rate without; and what a collector out of reach may keep on the heap, in MiB. */
const targets = { recorded: 0.9, unreachable: 0.9, heap: 5 };

await onFilledDatabase(contacts, measureTracing);

async function measureTracing(bench: Bench): Promise<void> {
  const collector = await startCollector();
  const started: [string, Observed][] = [];
  const start = async (how: string, endpoint?: string) => {
    const tracing = endpoint === undefined ? {} : { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint };
    const env = { ...bench.env, ...tracing };
    started.push([how, await startObserved({ ...bench, env }, 1, true)]);
  };
  try {
    await start('not recorded');
    await start('recorded', urlOf(collector));
    await start('unreachable', `http://127.0.0.1:${await freePort()}`);
    const asked = operationNamed(name, contacts);
    const measures = await inTurns(
      started.map(([, { target }]) => ({ bench, target, asked })),
      rounds,
      { seconds, connections },
    );
    const heaps: number[] = [];
    for (const [, { target, observe }] of started)
      heaps.push((await observe(answeringOf(target))).heap);
    tell(
      measures,
      heaps,
      started.map(([how]) => how),
    );
  } finally {
    await Promise.all(started.map(([, { target }]) => stopTarget(target)));
    collector.close();
  }
}

function tell(measures: readonly Measure[], heaps: readonly number[], names: readonly string[]) {
  const [base] = measures;
  if (!base) return;
  console.log(`${name}: ${connections} connections, medians of ${rounds} rounds of ${seconds} s`);
  measures.forEach(({ rate, p99, node }, at) => {
    const heap = (heaps[at] ?? 0) - (heaps[0] ?? 0);
    const of = (rate / base.rate).toFixed(2);
    console.log(
      `${names[at]?.padEnd(14)} ${rate.toFixed(0)}/s (${of}), p99 ${p99} ms, ${node.toFixed(0)} µs of Node, heap ${heap < 0 ? '' : '+'}${heap.toFixed(1)} MiB`,
    );
  });
  const [, recorded, unreachable] = measures;
  const holds =
    (recorded?.rate ?? 0) >= targets.recorded * base.rate &&
    (unreachable?.rate ?? 0) >= targets.unreachable * base.rate &&
    (heaps[2] ?? 0) - (heaps[0] ?? 0) <= targets.heap;
  console.log(
    `recorded and unreachable at least ${targets.recorded}, heap at most +${targets.heap} MiB: ${holds ? 'holds' : 'does NOT hold'}`,
  );
  if (!holds) process.exitCode = 1;
}

/** Takes spans and does nothing with them, as cheaply as it can: it has the cores of what is measured. */
async function startCollector(): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end('{}'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
