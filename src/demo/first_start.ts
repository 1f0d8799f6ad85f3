import { join } from 'node:path';
import type { Keys } from '../auth/keys.ts';
import type { Config } from '../config/config.ts';
import type { Database } from '../db/database.ts';
import { sql } from '../db/sql/sql.ts';
import { withProcessLock } from '../lib/process_lock.ts';
import { writeForOwner } from '../lib/secret_file.ts';
import {
  createLinkFor,
  linkFile,
  linkMinutes,
  linkWith,
  type NewCode,
} from '../resources/users/sign_in_link.ts';
import { seed } from './seed.ts';

/** What a person who has started the service for the first time needs. */
export interface FirstStart {
  /** The e-mail address of the demo's admin, a token, and the code to set a password. */
  readonly email: string;
  readonly token: string;
  readonly code: NewCode;
}

/**
 * Fills an embedded database that has no account with the demo account, whose id is 1; in production
 * never, because nobody asked for its admin's token, which stays valid.
 * @returns undefined when there was nothing to do
 */
export async function demoOnFirstStart(
  config: Config,
  database: Database,
  keys: Keys,
): Promise<FirstStart | undefined> {
  if (config.production || config.database.kind !== 'embedded') return undefined;
  return withProcessLock(join(config.dataDir, 'demo.lock'), async () => {
    // Not by Prisma's client, whose compiler each start would load for this alone.
    const [account] = await database.query(sql`SELECT id FROM accounts LIMIT 1`);
    if (account) return undefined;
    // An interrupted attempt leaves no account, but has used up ids.
    await database.query(sql`SELECT setval('accounts_id_seq', 1, false)`);
    const now = new Date();
    const { token, admin: email } = await seed(database, { keys, tokenTtl: config.tokenTtl, now });
    const code = await createLinkFor({ db: database, now, requestId: 'seed' }, email);
    return code && { email, token, code };
  });
}

/**
 * The text that welcomes them. The link and the token are shown on a terminal only: any other output may end
 * up in a log, so they are written to a file instead that only its owner can read.
 * @param url of the service
 */
export async function welcome(
  { email, token, code }: FirstStart,
  url: string,
  { dataDir, publicUrl = url }: Pick<Config, 'dataDir' | 'publicUrl'>,
  isTerminal: boolean,
): Promise<string> {
  const text = `Within ${linkMinutes} minutes this link lets ${email} set a password:

  ${linkWith(publicUrl, code).url}

This is its first page of deals, with a token:

  curl -k -X POST ${url}/api/v1/accounts/1/deals/search \\
    -H 'Authorization: Bearer ${token}' \\
    -H 'Content-Type: application/json' \\
    -d '{"query": {"status_eq": "open"}}'
`;
  if (isTerminal) return `\nA demo account was created. ${text}\n`;
  const file = join(dataDir, linkFile);
  await writeForOwner(file, text.trimEnd());
  return `
A demo account was created. A link with which ${email} sets a password within ${linkMinutes} minutes, and a request with a
token, are in ${file}, which only its owner can read.

`;
}
