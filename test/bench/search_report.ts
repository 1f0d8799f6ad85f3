/** What was measured, as lines to read, and whether it is as promised. */
import type { SearchCase } from './search_cases.ts';
import type { Times } from './search_measure.ts';

export interface Result {
  readonly search: SearchCase;
  /** Contacts of all accounts. */
  readonly size: number;
  readonly request: Times;
  /** What the service sends to the database, without the service. */
  readonly statement: Times;
  readonly byHand: Times;
  /** How the best of the hand-written ones is written. */
  readonly way: string;
  /** A plain count of the account's rows that match. */
  readonly scan?: Times;
}

const ms = (value: number) => value.toFixed(2).padStart(8);

export const heading = [
  'ms'.padEnd(31),
  ' request      p99 |   by hand     p99 | ratio | statement | samples, best by hand',
].join(' ');

export const row = ({ search, request, statement, byHand, way, scan }: Result): string =>
  [
    `${search.name.padEnd(31)} ${ms(request.p50)} ${ms(request.p99)}`,
    ` ${ms(byHand.p50)}${ms(byHand.p99)}`,
    (request.p50 / byHand.p50).toFixed(2).padStart(5),
    ` ${ms(statement.p50)}`,
    `${request.samples}, ${way}${scan ? `, account scan ${scan.p50.toFixed(2)}` : ''}`,
  ].join(' | ');

/** One promise about one search, kept or not. */
interface Target {
  readonly promise: string;
  readonly about: string;
  readonly holds: boolean;
}

/** A line for each promise, and one for each case in which it does not hold. */
export function targets(results: readonly Result[]): readonly string[] {
  const all = [
    ...results.flatMap(growth),
    ...results.map(besideByHand),
    ...results.flatMap(besideScan),
    ...deepPages(results),
  ];
  return [...new Set(all.map(({ promise }) => promise))].flatMap((promise) => {
    const cases = all.filter((target) => target.promise === promise);
    const broken = cases.filter(({ holds }) => !holds);
    const verdict = broken.length === 0 ? 'holds' : `does NOT hold in ${broken.length}`;
    return [
      `${promise}: ${verdict} of ${cases.length}`,
      ...(broken.length === 0 && !promise.startsWith('a growth') ? [] : cases)
        .filter(({ holds }) => !holds || promise.startsWith('a growth'))
        .map(({ about, holds }) => `  ${holds ? ' ' : '!'} ${about}`),
    ];
  });

  /** From the smallest size to the largest. */
  function growth(last: Result): Target[] {
    const { search, size } = last;
    const first = results.find((result) => result.search === search);
    const largest = Math.max(...results.map((result) => result.size));
    if (!first || size !== largest || first === last) return [];
    const times = last.request.p50 / first.request.p50;
    const selective = search.promise === 'selective';
    const about = `${search.name}: ${times.toFixed(2)} times from ${first.size} to ${size} contacts`;
    return selective
      ? [{ promise: 'a growth of selective text searches of at most 2', about, holds: times <= 2 }]
      : [{ promise: 'a growth of the others, of which nothing is promised', about, holds: true }];
  }
}

function besideByHand({ search, size, request, byHand }: Result): Target {
  return {
    promise: 'at most twice the hand-written SQL, or 1.5 ms more',
    about: `${search.name} at ${size}: ${request.p50.toFixed(2)} to ${byHand.p50.toFixed(2)} ms`,
    holds: request.p50 <= Math.max(2 * byHand.p50, byHand.p50 + 1.5),
  };
}

function besideScan({ search, size, statement, scan }: Result): Target[] {
  if (!scan) return [];
  return [
    {
      promise: 'one or two characters: the statement at most 1.3 times the scan of the account',
      about: `${search.name} at ${size}: ${statement.p50.toFixed(2)} to ${scan.p50.toFixed(2)} ms`,
      holds: statement.p50 <= 1.3 * scan.p50,
    },
  ];
}

function deepPages(results: readonly Result[]): Target[] {
  const pages = (promise: SearchCase['promise']) =>
    results.filter(({ search }) => search.promise === promise);
  return pages('page 1,000').flatMap((deep) => {
    const first = pages('first page').find(({ size }) => size === deep.size);
    if (!first) return [];
    const times = deep.request.p50 / first.request.p50;
    const about = `at ${deep.size}: ${times.toFixed(2)} times`;
    return [{ promise: 'page 1,000 at most 5 times page 1', about, holds: times <= 5 }];
  });
}
