/** What a profile came to, as lines to read. */
import type { Group, TimeSpent } from './profile_places.ts';

/** Of one program. */
export interface Profiled {
  readonly name: string;
  /** Answers a second. */
  readonly rate: number;
  /** Microseconds of processor time a request, measured without the profiler. */
  readonly cpu: number;
  /** What of them JavaScript's own thread took. */
  readonly main: number;
  /** System calls a request, and bytes that they wrote. */
  readonly reads: number;
  readonly writes: number;
  readonly written: number;
  /** Of which the profile gives the shares. */
  readonly spent: readonly TimeSpent[];
}

const groups: Readonly<Record<Group, string>> = {
  src: 'rooms of src/',
  packages: 'packages',
  Node: "Node's own modules",
  V8: 'V8',
};

/** Lines of less than this many microseconds on both sides are put together. */
const min = 0.5;
const functions = 25;

/** How many microseconds of a request a time of the profile stands for. */
function scaleOf({ main, spent }: Profiled): number {
  return main / spent.reduce((sum, { time }) => sum + time, 0);
}

/** @param sides the service first */
export function profileLines(sides: readonly Profiled[]): string[] {
  return [
    row('', ...sides.map(({ name }) => name)),
    row('requests/s', ...sides.map(({ rate }) => rate.toFixed(0))),
    row('calls that read, a request', ...sides.map(({ reads }) => reads.toFixed(2))),
    row('calls that write', ...sides.map(({ writes }) => writes.toFixed(2))),
    row('bytes written', ...sides.map(({ written }) => written.toFixed(0))),
    row('µs of Node a request', ...sides.map(({ cpu }) => micros(cpu))),
    row('  other threads (GC, compilers)', ...sides.map(({ cpu, main }) => micros(cpu - main))),
    ...(Object.keys(groups) as Group[]).flatMap((group) => groupLines(group, sides)),
    ...sides.slice(0, 1).flatMap(functionLines),
  ];
}

function groupLines(group: Group, sides: readonly Profiled[]): string[] {
  const found = sides.map((side) => {
    const times = new Map<string, number>();
    for (const { place, time } of side.spent) {
      if (place.group !== group) continue;
      times.set(place.name, (times.get(place.name) ?? 0) + time * scaleOf(side));
    }
    return times;
  });
  const of = (name: string) => found.map((times) => times.get(name) ?? 0);
  const total = (names: readonly string[]) =>
    sides.map((_, at) => names.reduce((sum, name) => sum + (of(name)[at] ?? 0), 0));
  const names = [...new Set(found.flatMap((times) => [...times.keys()]))].sort(
    (a, b) => Math.max(...of(b)) - Math.max(...of(a)),
  );
  const large = names.filter((name) => of(name).some((time) => time >= min));
  const small = names.filter((name) => !large.includes(name));
  return [
    row(groups[group], ...total(names).map(micros)),
    ...large.map((name) => row(`  ${name}`, ...of(name).map(micros))),
    ...(small.length > 0 ? [row(`  ${small.length} more`, ...total(small).map(micros))] : []),
  ];
}

/** Those that take most themselves. */
function functionLines(side: Profiled): string[] {
  const times = new Map<string, number>();
  for (const { function: name, file, time } of side.spent) {
    const key = `${name.padEnd(28)} ${file}`;
    times.set(key, (times.get(key) ?? 0) + time * scaleOf(side));
  }
  const max = [...times].sort(([, a], [, b]) => b - a).slice(0, functions);
  return [
    `\nµs a request of the ${side.name}'s functions themselves`,
    ...max.map(([name, time]) => `${micros(time).padStart(8)}  ${name}`),
  ];
}

const micros = (value: number) => value.toFixed(1);

const row = (name: string, ...cells: readonly string[]) =>
  [name.padEnd(54), ...cells.map((cell) => cell.padStart(11))].join('');
