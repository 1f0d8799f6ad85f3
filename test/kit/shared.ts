/** What a worker has loaded once, outside of the sandboxes of its test files. */
import type { Shared } from './sandbox.ts';

declare global {
  var shared: Shared;
}

export const {
  borrowApp,
  createDatabase,
  createEmptyDatabase,
  createLatinDatabase,
  createLog,
  demo,
  documentation,
  openDatabase,
  pg,
  raw,
  readConfig,
  requireDistributable,
  runHere,
  shipped,
  startApp,
  unbound,
  refused,
} = globalThis.shared;
