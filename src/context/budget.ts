/** Bytes of JSON that a request may read without waiting for a turn. */
export const ordinaryBytes = 1024 * 1024;

/** Bytes of JSON that a request may read at all. */
export const largestBytes = 32 * 1024 * 1024;

/** What one request may use, and has used: all its root fields together. */
export interface Budget {
  /**
   * How many times the answer may show what was read once, because a document can select one field
   * under many names. Bytes count that many times.
   */
  repeats: number;
  /** Whether it has read more than an ordinary request may. */
  readonly isLarge: boolean;
  /**
   * Asks for something that may turn out to be large.
   * @throws {Fault} VALIDATION_FAILED when the answer is too large already
   */
  ask<T>(query: () => Promise<T>): Promise<T>;
  /**
   * Counts the JSON that was read for the answer.
   * @param bytes of it
   * @returns a promise when the request turns out to be large and has to wait for its turn
   * @throws {Fault} VALIDATION_FAILED when the answer gets too large for any request; UNAVAILABLE
   *   when the turn did not come in time
   */
  spend(bytes: number): void | Promise<void>;
  /**
   * Reads something known to be large, in the request's turn and one at a time; not before it is known
   * how large everything else is that the request has asked for.
   * @param bytes that will be read; they are counted at once
   * @throws as `spend`, and whatever `read` throws
   */
  large<T>(bytes: number, read: () => Promise<T>): Promise<T>;
}

/** For the service's own work, such as the command line. */
export const unbounded = (): Budget => ({
  repeats: 1,
  isLarge: false,
  ask: (query) => query(),
  spend: () => undefined,
  large: (_, read) => read(),
});
