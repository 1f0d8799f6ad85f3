/** How long readers of client text take, for texts of all classes of characters, by their size. */
import { PerformanceObserver } from 'node:perf_hooks';
import { cpuUsage } from 'node:process';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';

/** Makes something of a text, or refuses it. */
type Read = (text: string) => unknown;

export type Readers = Readonly<Record<string, Read>>;

/** Units that texts are made of. */
const classes: Readonly<Record<string, string>> = {
  letters: 'a',
  capitals: 'A',
  digits: '1',
  zeros: '0',
  dots: '.',
  'names with dots': 'aaaaaaaaaaa.',
  'dots and dashes': '.-',
  dashes: '-',
  spaces: ' ',
  lines: '\r\n',
  tabs: '\t',
  ü: 'ü',
  marks: '\u0301',
  'marks of two classes': '\u0301\u0316',
  'letters with marks': 'e\u0316\u0301',
  CJK: '漢',
  Hangul: '\u1100\u1161\u11a8',
  emoji: '👩‍👧',
  'right to left': 'א\u200f',
  sigmas: 'aΣ',
  quotes: '"',
  'quoted words': ',"""',
  apostrophes: "'",
  commas: ',',
  semicolons: ';',
  backslashes: '\\',
  'percent signs': '%',
  'encoded bytes': '%C3%BC',
  'square brackets': '[',
  braces: '{',
  parentheses: '(',
  'closed brackets': '[]',
  '=': '=',
  '&': 'a&',
  '@': '@',
  colons: ':',
  slashes: '/',
  underscores: '_',
  conjunctions: 'id_or_',
  associations: 'contact_deals_',
  hashes: '# \n',
};

/** What a text begins with, and what makes a reader fail late. */
const ends: readonly (readonly [string, string])[] = [
  ['', ''],
  ['a', '!'],
  ['1', '\u0000'],
  ['"', '\\'],
  ['a@', ' b'],
  ['Σ', 'x"'],
];

const sizes = [8, 16, 32, 64].map((kibibytes) => kibibytes * 1024);
const [largest = 0] = sizes.slice(-1);

/** Milliseconds of the processor that are too few to compare. */
const floor = 20;

function text(unit: string, [start, end]: readonly [string, string], size: number): string {
  return start + unit.repeat(Math.ceil(size / Buffer.byteLength(unit))) + end;
}

const units = Object.values(classes);

/** One of the texts, of about so many bytes. Numbers in a row have other classes and ends. */
export const nastyText = (number: number, size: number): string =>
  text(units[number % units.length] ?? '', ends[number % ends.length] ?? ['', ''], size);

/** Milliseconds of garbage collections since they were last counted. */
let collecting = 0;
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) collecting += duration;
}).observe({ entryTypes: ['gc'] });
// What other threads collect would be time of the processor without being part of the duration.
setFlagsFromString('--no-parallel-scavenge');

/**
 * Milliseconds of the processor for one reading, without those of the kernel, which maps memory, and of garbage
 * collections: when these come and what they take depends on all that the process keeps, and a list of 60,000
 * values costs much more than half of it does when a collection falls into it.
 */
async function timeOf(read: Read, given: string): Promise<number> {
  collecting = 0;
  const before = cpuUsage();
  try {
    await read(given);
  } catch {
    // It was refused.
  }
  const { user } = cpuUsage(before);
  // Collections are reported in a turn after them.
  await turn();
  await turn();
  return Math.max(0, user / 1000 - collecting);
}

/** The least of `runs`, which nothing else disturbed; what is below the floor is not timed again. */
async function leastOf(runs: number, read: Read, given: string): Promise<number> {
  let min = await timeOf(read, given);
  for (let run = 1; run < runs && min > floor; run += 1) {
    min = Math.min(min, await timeOf(read, given));
  }
  return min;
}

/** Sizes at which twice as much takes more than three times as long. */
async function steepIn(
  runs: number,
  read: Read,
  textOf: (size: number) => string,
): Promise<readonly string[]> {
  const times: number[] = [];
  for (const size of sizes) times.push(await leastOf(runs, read, textOf(size)));
  return times.flatMap((time, at) => {
    const half = times[at - 1];
    const isSteep = half !== undefined && time > floor && time > 3 * Math.max(half, floor / 2);
    return isSteep ? [`${(sizes[at] ?? 0) / 1024} KiB: ${half} then ${time} ms`] : [];
  });
}

/** @returns what takes more than three times as long for twice the size: reader, class and times */
export async function steepReaders(readers: Readers, mostEnds = ends.length): Promise<string[]> {
  const found: string[] = [];
  for (const [kind, unit] of Object.entries(classes)) {
    for (const end of ends.slice(0, mostEnds)) {
      const textOf = (size: number) => text(unit, end, size);
      const longest = textOf(largest);
      for (const [name, read] of Object.entries(readers)) {
        if ((await leastOf(3, read, longest)) <= floor) continue;
        // What disturbed it twice in the same way was not chance.
        if ((await steepIn(5, read, textOf)).length === 0) continue;
        const steep = await steepIn(20, read, textOf);
        if (steep.length === 0) continue;
        found.push(`${name}, ${kind} within ${JSON.stringify(end)}: ${steep.join(', ')}`);
      }
    }
  }
  return found;
}
