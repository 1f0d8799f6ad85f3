/** What was measured, as lines to read. */
import type { Measure } from './measure.ts';

export interface Side extends Measure {
  readonly name: string;
  /** Resident, in MiB, of all its processes. */
  readonly memory: number;
  /** SQL statements a request. */
  readonly statements: number;
}

export interface Compared {
  readonly name: string;
  /** The service first, what it is compared with after it. */
  readonly sides: readonly Side[];
}

export const explain = (round: { rounds: number; seconds: number; connections: number }): string =>
  `${round.connections} connections, medians of ${round.rounds} rounds of ${round.seconds} s in turns; CPU in µs a request`;

const columns = (cells: readonly string[]) =>
  cells.map((cell, at) => (at === 0 ? cell.padEnd(14) : cell.padStart(10))).join('');

export function lines({ name, sides }: Compared): string[] {
  const ours = sides[0];
  const heading = [
    '',
    'requests/s',
    'p50 ms',
    'p99 ms',
    'CPU Node',
    'CPU PG',
    'RSS MiB',
    'SQL',
    'ratio',
    'p99 ratio',
  ];
  return [
    `\n${name}`,
    columns(heading),
    ...sides.map((side) =>
      columns([
        side.name,
        side.rate.toFixed(side.rate < 100 ? 1 : 0),
        side.p50.toFixed(2),
        side.p99.toFixed(2),
        side.node.toFixed(0),
        side.postgres.toFixed(0),
        side.memory.toFixed(0),
        side.statements.toFixed(1),
        ...(ours && side !== ours
          ? [ratio(ours, side).toFixed(2), p99Ratio(ours, side).toFixed(2)]
          : []),
      ]),
    ),
  ];
}

/** Above 1 when the service answers more. */
const ratio = (ours: Measure, theirs: Measure) => ours.rate / theirs.rate;
/** Above 1 when the service takes longer. */
const p99Ratio = (ours: Measure, theirs: Measure) => ours.p99 / theirs.p99;

/** One side beside the other, an operation a line; nothing where none was compared. */
export function summary(sides: string, all: readonly Compared[]): string[] {
  if (all.length === 0) return [];
  return [
    `\n${sides}`,
    ...all.flatMap(({ name, sides: [ours, theirs] }) =>
      ours && theirs
        ? [
            `${name.padEnd(26)} requests ${ratio(ours, theirs).toFixed(2)}, p99 ${p99Ratio(ours, theirs).toFixed(2)}, SQL ${ours.statements.toFixed(1)} : ${theirs.statements.toFixed(1)}`,
          ]
        : [],
    ),
  ];
}
