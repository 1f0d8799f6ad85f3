/** One timed round against one target. */
import autocannon from 'autocannon';
import type { Bench } from './database.ts';
import { headersOf, type Operation } from './operations/operation.ts';
import { median, spread } from './percentiles.ts';
import { cpuBeneath, cpuOf, type Target } from './processes.ts';

export interface Measure {
  /** Answers of the right status a second. */
  readonly rate: number;
  /** Milliseconds, of all answers but the first of each connection: that one waits for handshakes. */
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of processor time an answer, of all processes of the target and of PostgreSQL. */
  readonly node: number;
  readonly postgres: number;
}

export interface Round {
  readonly seconds: number;
  readonly connections: number;
}

/** What is asked for, again and again. */
export type Asked = Pick<Operation, 'name' | 'status' | 'request'>;

/** @throws when any answer is not of the operation's status */
export async function measure(
  bench: Bench,
  target: Target,
  asked: Asked,
  { seconds, connections }: Round,
): Promise<Measure> {
  const pid = target.process.pid ?? 0;
  const used = () => [cpuOf(pid) + cpuBeneath(pid), cpuBeneath(bench.postmaster)] as const;
  const [node, postgres] = used();
  let wrong = 0;
  const latencies: number[] = [];
  const result = await autocannon({
    url: `${target.scheme}://127.0.0.1:${target.port}`,
    connections,
    duration: seconds,
    setupClient: (connection) => {
      let isOpen = false;
      connection.on('response', (_status, _bytes, ms) => {
        if (isOpen) latencies.push(ms);
        isOpen = true;
      });
    },
    requests: [
      {
        setupRequest: (request) => {
          const next = asked.request(bench.generator.next());
          const { method, path, body } = next;
          const headers = headersOf(next, bench.token);
          return { ...request, method, path, headers, ...(body === undefined ? {} : { body }) };
        },
        onResponse: (status) => {
          if (status !== asked.status) wrong++;
        },
      },
    ],
  });
  const after = used();
  if (wrong > 0 || result.errors > 0) {
    const faults = `${wrong} wrong answers, ${result.errors} errors`;
    throw new Error(`${target.name}, ${asked.name}: ${faults}`);
  }
  const answers = result.requests.total;
  return {
    rate: answers / result.duration,
    ...spread(latencies),
    node: ((after[0] - node) * 1000) / answers,
    postgres: ((after[1] - postgres) * 1000) / answers,
  };
}

/** Who is asked, and for what. */
export interface Competitor {
  readonly bench: Bench;
  readonly target: Target;
  readonly asked: Asked;
}

/**
 * Requests that each competitor answers before it is measured, for compilers and caches: a machine with a slow disk
 * takes long to send what V8 needs to see.
 */
const warmUpRequests = 8000;
/** At most this many rounds are spent on that. */
const warmUpRounds = 5;

/** @returns the medians of each, in the order of the competitors */
export async function inTurns(
  competitors: readonly Competitor[],
  rounds: number,
  each: Round,
): Promise<readonly Measure[]> {
  for (const { bench, target, asked } of competitors) {
    for (let [round, answered] = [0, 0]; round < warmUpRounds && answered < warmUpRequests; round++)
      answered += each.seconds * (await measure(bench, target, asked, each)).rate;
  }
  const measures = competitors.map((): Measure[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [at, { bench, target, asked }] of competitors.entries())
      measures[at]?.push(await measure(bench, target, asked, each));
  }
  return measures.map(medians);
}

export function medians(list: readonly Measure[]): Measure {
  const of = (field: keyof Measure) => median(list.map((measure) => measure[field]));
  return {
    rate: of('rate'),
    p50: of('p50'),
    p99: of('p99'),
    node: of('node'),
    postgres: of('postgres'),
  };
}
