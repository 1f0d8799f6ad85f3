import type { Embedded } from '../../src/db/embedded.ts';

/** What the setup started and the teardown ends; both run in the same process. */
export const running: { directory?: string; database?: Embedded } = {};
