import { join } from 'node:path';
import { signingSecret } from '../auth/secret.ts';
import { signingKey } from '../auth/tokens.ts';
import type { Config } from '../config.ts';
import type { Database } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { withProcessLock } from '../process_lock.ts';
import { seed } from './seed.ts';

/**
 * Fills an embedded database that has no account with the demo account, whose id is 1; in production
 * never, because its admin's token is printed and would end up in a log.
 * @returns a token of its admin; undefined when there was nothing to do
 */
export async function demoOnFirstStart(
  config: Config,
  database: Database,
): Promise<string | undefined> {
  if (config.production || config.database.kind !== 'embedded') return undefined;
  return withProcessLock(join(config.dataDir, 'demo.lock'), async () => {
    if (await database.prisma.account.findFirst()) return undefined;
    // An interrupted attempt leaves no account, but has used up ids.
    await database.query(sql`SELECT setval('accounts_id_seq', 1, false)`);
    const key = signingKey(await signingSecret(config));
    const { token } = await seed(database, { key, tokenTtl: config.tokenTtl, now: new Date() });
    return token;
  });
}
