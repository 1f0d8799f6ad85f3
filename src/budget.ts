/** Bytes of JSON that a request's records may come to without further ado. */
export const ordinaryBytes = 1024 * 1024;

/** Bytes of JSON that a request's records may come to at all. */
export const largestBytes = 32 * 1024 * 1024;

/** What one request may use, and has used: all its root fields together. */
export interface Budget {
  /**
   * How often the answer may show what was read once: a document can select one field under many
   * names. Bytes count as often.
   */
  repeats: number;
  /** Whether its records have come to more than an ordinary request's. */
  readonly isLarge: boolean;
  /**
   * Counts the JSON that was read for the answer.
   * @param bytes of it
   * @returns a promise where the request turns out to be a large one, and so must wait for its turn
   * @throws {Fault} VALIDATION_FAILED when the answer gets too large for any request; UNAVAILABLE
   *   when the turn did not come in time
   */
  spend(bytes: number): void | Promise<void>;
  /**
   * Reads what is known to be large, in the request's turn and one at a time.
   * @param bytes that will be read; they are counted at once
   * @throws as `spend`, and whatever `read` throws
   */
  large<T>(bytes: number, read: () => Promise<T>): Promise<T>;
}

/** The budget of those who work for the service itself, such as the command line. */
export const unbounded = (): Budget => ({
  repeats: 1,
  isLarge: false,
  spend: () => undefined,
  large: (_, read) => read(),
});
