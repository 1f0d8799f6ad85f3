/**
 * `npm run bench`: the service beside a hand-written reference, on the same database, in turns.
 * Options by environment: BENCH_ROUNDS (5), BENCH_SECONDS (3) a round, BENCH_ONLY (names or parts
 * of names, separated by commas), BENCH_CONTACTS (200000) of all accounts, BENCH_DIR (where the
 * filled database is kept for the next run), BENCH_CORES=separate (what is measured, PostgreSQL and the
 * load each have their own; of two the last have one together).
 */
import { isDeepStrictEqual } from 'node:util';
import { separateCores } from './cores.ts';
import { type Bench, benchFor, onFilledDatabase } from './database.ts';
import { type Competitor, inTurns } from './measure.ts';
import type { Operation } from './operations/operation.ts';
import { variantsOf } from './operations/variants.ts';
import { operationsOn } from './operations.ts';
import {
  memoryOf,
  referenceProgram,
  send,
  serviceProgram,
  startTarget,
  stopTarget,
  type Target,
} from './processes.ts';
import { type Compared, explain, lines, type Side, summary } from './report.ts';
import { seedOf } from './seed.ts';
import { type Effects, effectsOf } from './statements.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const seconds = Number(process.env.BENCH_SECONDS ?? 3);
const only = (process.env.BENCH_ONLY ?? '').split(',').map((name) => name.replaceAll('_', ' '));
const connections = 32;
/** How many requests of each kind are sent to count their statements. */
const counted = 10;
/** How often they are sent again while other statements still running blur the count. */
const attempts = 5;

const isWanted = ({ name }: Operation): boolean => only.some((part) => name.includes(part));

const wanted = process.env.BENCH_CORES;
if (wanted !== undefined && wanted !== 'separate') throw new Error('BENCH_CORES can be separate');
const cores = wanted && separateCores();
if (wanted && !cores) throw new Error('BENCH_CORES=separate needs two cores and taskset');

await onFilledDatabase(
  Number(process.env.BENCH_CONTACTS ?? 200_000),
  measureAll,
  cores || undefined,
);

async function measureAll(bench: Bench): Promise<void> {
  const own = { cores: bench.cores?.target };
  const service = await startTarget('service', serviceProgram, bench.env, own);
  const reference = await startTarget('reference', referenceProgram, bench.env, own);
  const compared: Compared[] = [];
  const beside: Compared[] = [];
  try {
    console.log(explain({ rounds, seconds, connections }));
    const operations = operationsOn(seedOf(bench.contacts));
    for (const operation of operations.filter(isWanted)) {
      const of = await benchFor(bench, operation);
      compared.push(await compare(of, operation, [service, reference]));
    }
    for (const [operation, plain] of variantsOf(operations).filter(([one]) => isWanted(one))) {
      beside.push(await compareWithin(bench, service, [operation, plain]));
    }
    console.log(summary('service : reference', compared).join('\n'));
    console.log(summary('with : without', beside).join('\n'));
  } finally {
    await Promise.all([service, reference].map(stopTarget));
  }
}

async function compare(
  bench: Bench,
  operation: Operation,
  targets: readonly [Target, Target],
): Promise<Compared> {
  const effects = await effectsOfBoth(bench, operation, targets);
  return race(
    operation,
    targets.map((target, at) => {
      const { statements = 0 } = effects[at] ?? {};
      return { name: target.name, bench, target, asked: operation, statements };
    }),
  );
}

/** The service beside itself: with something more to do, and without. */
async function compareWithin(
  bench: Bench,
  target: Target,
  [more, plain]: readonly [Operation, Operation],
): Promise<Compared> {
  const of = await benchFor(bench, more);
  const { statements } = await repeatedly(of, target, more);
  const without = await repeatedly(bench, target, plain);
  return race(more, [
    { name: 'with', bench: of, target, asked: more, statements },
    { name: 'without', bench, target, asked: plain, statements: without.statements },
  ]);
}

interface Runner extends Competitor {
  readonly name: string;
  /** SQL statements a request. */
  readonly statements: number;
}

async function race(operation: Operation, runners: readonly Runner[]): Promise<Compared> {
  const atOnce = operation.connections ?? connections;
  const measures = await inTurns(runners, rounds, { seconds, connections: atOnce });
  const sides = measures.map((measured, at): Side => {
    const { name = '', statements = 0, target } = runners[at] ?? {};
    return { ...measured, name, statements, memory: memoryOf(target?.process.pid ?? 0) };
  });
  const compared = { name: operation.name, sides };
  console.log(lines(compared).join('\n'));
  return compared;
}

/** What an operation does to the database, the statements a request. */
async function repeatedly(bench: Bench, target: Target, operation: Operation): Promise<Effects> {
  const { statements, ...others } = await effectsOf(bench, async () => {
    for (let n = 0; n < counted; n++) {
      await send(target.port, operation.request(bench.generator.next()), bench.token);
    }
  });
  return { statements: statements / counted, ...others };
}

/** A reference that answers or writes something else measures nothing. */
async function effectsOfBoth(
  bench: Bench,
  operation: Operation,
  targets: readonly [Target, Target],
): Promise<readonly Effects[]> {
  const [a, b] = targets;
  await assertSame(bench, operation, a, b);
  let differing = '';
  // Writes of the round before may end only now.
  for (let attempt = 0; attempt < attempts; attempt++) {
    const ours = await repeatedly(bench, a, operation);
    const theirs = await repeatedly(bench, b, operation);
    const [written, byHand] = [ours, theirs].map(({ rows, entries }) => ({ rows, entries }));
    if (isDeepStrictEqual(written, byHand)) return [ours, theirs];
    differing = `${JSON.stringify(written)} and ${JSON.stringify(byHand)}`;
  }
  throw new Error(`${operation.name}: rows differ: ${differing}`);
}

async function assertSame(
  { generator, token }: Bench,
  operation: Operation,
  service: Target,
  reference: Target,
): Promise<void> {
  const [first, second] = [generator.next(), generator.next()];
  const writes = operation.kind === 'write';
  const [a, b] = [
    await send(service.port, operation.request(first), token),
    await send(reference.port, operation.request(writes ? second : first), token),
  ];
  if (a.status !== operation.status || b.status !== operation.status) {
    throw new Error(`${operation.name}: ${a.status} ${a.text} and ${b.status} ${b.text}`);
  }
  const { comparable = writes ? shapeOf : JSON.parse } = operation;
  const same = isDeepStrictEqual(comparable(a.text), comparable(b.text));
  if (!same) {
    const beginnings = [a, b].map(({ text }) => text.slice(0, 2000)).join('\n');
    throw new Error(`${operation.name}: answers differ:\n${beginnings}`);
  }
}

/** The names in an answer, without what they hold. */
function shapeOf(text: string): unknown {
  return shape(JSON.parse(text));
}

function shape(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return null;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shape(inner)]));
}
