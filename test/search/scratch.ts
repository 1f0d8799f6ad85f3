import type { Database } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/open.ts';
import { createDatabase } from '../kit/database.ts';
import { requireDistributable } from '../kit/shared.ts';

/** A migrated, empty database of one test file, reached as the service reaches it. */
export interface Scratch {
  readonly db: Database;
  close(): Promise<void>;
}

export async function openScratch(): Promise<Scratch> {
  const database = await createDatabase();
  const sent = new Set<string>();
  const db = await openDatabase({
    url: database.url,
    // What is found is looked at and not how soon: through five associations a search takes seconds on Citus.
    statementTimeoutMs: 30_000,
    onStatement: (text) => void sent.add(text),
  });
  return {
    db,
    close: async () => {
      await db.close();
      await database.close();
      requireDistributable(sent);
    },
  };
}
