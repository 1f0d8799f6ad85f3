/** The PostgreSQL that the tests use. */
export interface Running {
  readonly url: string;
  stop(): Promise<void>;
}

/** What the setup started and the teardown stops. */
export const running: { database?: Running; directory?: string } = {};
