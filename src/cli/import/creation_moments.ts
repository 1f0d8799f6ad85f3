/** When records were created elsewhere, which an operator may say of them. */
import { codes, messageOf, type Problem } from '../../errors/codes.ts';
import type { Fields } from '../../import/draft.ts';
import type { Result } from '../../import/service.ts';
import { timestamp } from '../../resources/kernel/fields/fields.ts';

/** The records of a batch without those moments. */
export interface UndatedBatch {
  readonly records: readonly Fields[];
  /**
   * @param results of those records
   * @returns the results of all records, in order, some of which were refused for their moments
   */
  all(results: readonly Result[]): readonly Result[];
  /** The moments of those that were created, by id. */
  momentsOf(results: readonly Result[]): ReadonlyMap<number, string>;
}

/** @param now after which nothing can have been created */
export function undated(dated: readonly Fields[], now: Date): UndatedBatch {
  const records: Fields[] = [];
  const places: number[] = [];
  const moments: (string | undefined)[] = [];
  const refused: Result[] = [];
  dated.forEach(({ created_at: createdAt, ...fields }, index) => {
    const faults: string[] = [];
    const report = (problem: Problem) => void faults.push(messageOf(problem));
    const moment = createdAt === undefined ? undefined : timestamp.read(createdAt, report);
    if (moment && Date.parse(moment) > now.getTime()) report('must not be in the future');
    if (faults.length > 0) {
      const errors = faults.map((fault) => `Created at ${fault}`);
      refused.push({ index, status: codes.VALIDATION_FAILED.status, id: null, errors });
      return;
    }
    records.push(fields);
    places.push(index);
    moments.push(moment ?? undefined);
  });
  return {
    records,
    all: (results) => {
      const placed = results.map((result) => ({ ...result, index: places[result.index] ?? 0 }));
      return [...placed, ...refused].toSorted((a, b) => a.index - b.index);
    },
    momentsOf: (results) =>
      new Map(
        results.flatMap(({ index, status, id }) => {
          const moment = moments[index];
          return status === 201 && id !== null && moment !== undefined ? [[id, moment]] : [];
        }),
      ),
  };
}
