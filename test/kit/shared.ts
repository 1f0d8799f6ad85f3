/** What a worker has loaded once, outside of the sandboxes of its test files. */
import type { Shared } from './sandbox.ts';

declare global {
  var shared: Shared;
}

export const {
  borrowApp,
  createLog,
  documentation,
  raw,
  readConfig,
  requireDistributable,
  startApp,
  unbound,
  refused,
} = globalThis.shared;
