/** Databases of tests, whose driver is loaded once per worker. */

export {
  createDatabase,
  createEmptyDatabase,
  createLatinDatabase,
  openDatabase,
} from './shared.ts';
export type { TestDatabase } from './test_database.ts';
