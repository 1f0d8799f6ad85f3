/**
 * `npm run bench`: the service beside a hand-written reference, on the same database, in turns.
 * Options by environment: BENCH_ROUNDS (5), BENCH_SECONDS (3) a round, BENCH_ONLY (names or parts
 * of names, separated by commas), BENCH_CONTACTS (200000) of all accounts, BENCH_DIR (where the
 * filled database is kept for the next run).
 */
import { isDeepStrictEqual } from 'node:util';
import { type Bench, createToken, onFilledDatabase } from './database.ts';
import { type Measure, measure, medians } from './measure.ts';
import { keyed, type Operation, operationsOn } from './operations.ts';
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
import { howToInstall, startRival } from './rival.ts';
import { seedOf } from './seed.ts';
import { type Effects, effectsOf } from './statements.ts';
import { addLargeAccount, large, summaryOperations } from './summaries.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const seconds = Number(process.env.BENCH_SECONDS ?? 3);
const only = (process.env.BENCH_ONLY ?? '').split(',').map((name) => name.replaceAll('_', ' '));
const connections = 32;
/** So many requests of each kind are sent to count their statements. */
const counted = 10;

const isWanted = ({ name }: Operation): boolean => only.some((part) => name.includes(part));

await onFilledDatabase(Number(process.env.BENCH_CONTACTS ?? 200_000), measureAll);

async function measureAll(bench: Bench): Promise<void> {
  const service = await startTarget('service', serviceProgram, bench.env);
  const reference = await startTarget('reference', referenceProgram, bench.env);
  const compared: Compared[] = [];
  const beside: Compared[] = [];
  try {
    console.log(explain({ rounds, seconds, connections }));
    const tell = async (of: Bench, operations: readonly Operation[]) => {
      for (const operation of operations) {
        const result = await compare(of, operation, [service, reference]);
        compared.push(result);
        console.log(lines(result).join('\n'));
      }
    };
    const operations = operationsOn(seedOf(bench.contacts));
    await tell(bench, operations.filter(isWanted));
    for (const operation of operations.filter(({ name }) => name === 'contact create')) {
      const withKey = keyed(operation);
      if (isWanted(withKey)) beside.push(await compareKeyed(bench, service, [withKey, operation]));
    }
    const summaries = summaryOperations.filter(isWanted);
    if (summaries.length > 0) {
      await addLargeAccount(bench.db);
      await tell({ ...bench, token: await createToken(bench.db, large) }, summaries);
    }
    console.log(summary('service : reference', compared).join('\n'));
    console.log(summary('with a key : without', beside).join('\n'));
  } finally {
    await Promise.all([service, reference].map(stopTarget));
  }
}

async function compare(
  bench: Bench,
  operation: Operation,
  targets: readonly [Target, Target],
): Promise<Compared> {
  const effects = await effectsOfAll(bench, operation, targets);
  const rival =
    operation.kind === 'graphql' ? await startRival(bench, targets[0], operation) : null;
  const all = [...targets, ...(rival ? [rival.target] : [])];
  const measures = new Map<Target, Measure[]>(all.map((target) => [target, []]));
  try {
    for (let round = -1; round < rounds; round++) {
      for (const [target, list] of measures) {
        const asked = target === rival?.target ? rival.operation : operation;
        const result = await measure(bench, target, asked, {
          seconds,
          connections: operation.connections ?? connections,
        });
        // The first round is for compilers and caches.
        if (round >= 0) list.push(result);
      }
    }
    return {
      name: operation.name,
      sides: [...measures].map(([target, list]) => ({
        name: target.name,
        ...medians(list),
        memory: memoryOf(target.process.pid ?? 0),
        statements: effects.get(target)?.statements ?? rival?.statements ?? 0,
      })),
      ...(operation.kind === 'graphql' && !rival ? { note: howToInstall } : {}),
    };
  } finally {
    if (rival) await stopTarget(rival.target);
  }
}

/** The service beside itself: an operation with a key, and without one. */
async function compareKeyed(
  bench: Bench,
  service: Target,
  pair: readonly [Operation, Operation],
): Promise<Compared> {
  const measures = new Map<Operation, Measure[]>(pair.map((operation) => [operation, []]));
  for (let round = -1; round < rounds; round++) {
    for (const [operation, list] of measures) {
      const result = await measure(bench, service, operation, { seconds, connections });
      if (round >= 0) list.push(result);
    }
  }
  const memory = memoryOf(service.process.pid ?? 0);
  const sides: Side[] = [];
  for (const [operation, list] of measures) {
    const effects = await repeatedly(bench, service, operation);
    const name = operation === pair[0] ? 'with' : 'without';
    sides.push({ name, ...medians(list), memory, statements: effects.statements / counted });
  }
  const result = { name: pair[0].name, sides };
  console.log(lines(result).join('\n'));
  return result;
}

/** What an operation does to the database. */
function repeatedly(bench: Bench, target: Target, operation: Operation): Promise<Effects> {
  return effectsOf(bench, async () => {
    for (let n = 0; n < counted; n++) {
      await send(target.port, operation.request(bench.generator.next()), bench.token);
    }
  });
}

/** A reference that answers or writes something else measures nothing. */
async function effectsOfAll(
  bench: Bench,
  operation: Operation,
  targets: readonly [Target, Target],
): Promise<ReadonlyMap<Target, { readonly statements: number }>> {
  const [a, b] = targets;
  await assertSame(bench, operation, a, b);
  let [ours, theirs] = [
    await repeatedly(bench, a, operation),
    await repeatedly(bench, b, operation),
  ];
  // A write of the round before may have ended only now.
  if (!isDeepStrictEqual(ours.rows, theirs.rows)) {
    [ours, theirs] = [await repeatedly(bench, a, operation), await repeatedly(bench, b, operation)];
  }
  if (!isDeepStrictEqual(ours.rows, theirs.rows)) {
    throw new Error(
      `${operation.name}: rows differ: ${JSON.stringify(ours.rows)} and ${JSON.stringify(theirs.rows)}`,
    );
  }
  return new Map(
    [ours, theirs].map(({ statements }, at) => [
      targets[at] ?? a,
      { statements: statements / counted },
    ]),
  );
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
  const [x, y]: unknown[] = [JSON.parse(a.text), JSON.parse(b.text)];
  const same = writes ? isDeepStrictEqual(shape(x), shape(y)) : isDeepStrictEqual(x, y);
  if (!same) throw new Error(`${operation.name}: answers differ:\n${a.text}\n${b.text}`);
}

/** The names in a value, without what they hold. */
function shape(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return null;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shape(inner)]));
}
