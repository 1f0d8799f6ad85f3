/** Like cases, of which a run that is not long tries a part. */

/** Whether all of them are tried: `npm run test:long`. */
export const isLong = process.env['TEST_SIZE'] === 'long';

/**
 * Every nth of many, unless the run is long. Those who take theirs from different places together take all.
 * @param from the place of the first
 */
export const sample = <T>(all: readonly T[], nth: number, from = 0): readonly T[] =>
  isLong ? all : all.filter((_, at) => at % nth === from % nth);
