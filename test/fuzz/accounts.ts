/** Two accounts of one database: one to send to, and one that nothing of it may ever be seen of. */
import { randomBytes } from 'node:crypto';
import { keysOf } from '../../src/auth/keys.ts';
import { hashPassword } from '../../src/auth/passwords.ts';
import { issueToken } from '../../src/auth/tokens.ts';
import type { Database } from '../../src/db/database.ts';
import { seed } from '../../src/demo/seed.ts';
import type { Tokens } from './draft.ts';
import { singular } from './operations.ts';
import { password } from './values.ts';

export const secret = 'a secret of the fuzzer, long enough to sign with';

export interface Accounts {
  readonly accountId: number;
  /** Ids of the users who ask, and of their tokens, by the singular of their resource. */
  readonly own: ReadonlyMap<string, readonly number[]>;
  readonly tokens: Tokens;
  readonly foreign: Foreign;
  /** Ids of sessions that nobody uses, which only GraphQL has. */
  readonly sessions: readonly number[];
}

/** Sessions that requests can end. */
const sessionsCount = 100;

/** The account that is not asked for. */
export interface Foreign {
  readonly accountId: number;
  /** Stands in every text that the account has. */
  readonly marker: string;
  /** Its records' ids, by the singular of their resource. */
  readonly ids: ReadonlyMap<string, readonly number[]>;
  /** A hash of each of its tables. */
  readonly hashes: ReadonlyMap<string, string>;
}

/** Fills an empty database. */
export async function createAccounts(db: Database): Promise<Accounts> {
  await spreadIds(db);
  const keys = keysOf([secret]);
  const now = new Date();
  const { account_id: accountId, token: admin } = await seed(db, { keys, tokenTtl: null, now });
  const issue = async (account: number, userId: number) => {
    const { token } = await issueToken(db, {
      ...{ accountId: account, userId, name: 'fuzz', scopes: ['*'], ttl: null, keys, now },
    });
    return token;
  };
  const member = await query<{ id: number }>(
    db,
    "SELECT id FROM users WHERE account_id = $1 AND role = 'member'",
    [accountId],
  );
  await knowPasswords(db, accountId);
  const sessions = await openSessions(db, accountId);
  const foreignId = await fillForeign(db);
  const [foreignUser = 0] = await idsOf(db, 'users', foreignId);
  const tokens = {
    admin,
    member: await issue(accountId, member[0]?.id ?? 0),
    foreign: await issue(foreignId, foreignUser),
  };
  const marker = `foreign${randomBytes(8).toString('hex')}`;
  await mark(db, foreignId, marker);
  const tables = await tablesOf(db);
  const ids = await Promise.all(
    tables.map(async (table) => [singular(table), await idsOf(db, table, foreignId)] as const),
  );
  const foreign = {
    accountId: foreignId,
    marker,
    ids: new Map([['account', [foreignId]] as const, ...ids]),
    hashes: await hashesOf(db, foreignId),
  };
  const own = new Map([
    ['user', await idsOf(db, 'users', accountId)],
    ['token', await idsOf(db, 'api_tokens', accountId)],
  ]);
  return { accountId, own, tokens, foreign, sessions };
}

const query = <Row>(db: Database, text: string, values: readonly unknown[] = []) =>
  db.query<Row>({ text, values: [...values] });

/** Whoever changes their own password must know it. */
async function knowPasswords(db: Database, accountId: number): Promise<void> {
  const hash = await hashPassword(password, accountId);
  await query(db, 'UPDATE users SET password_hash = $2 WHERE account_id = $1', [accountId, hash]);
}

/** Sessions of somebody who does not ask: who changes their password ends all others of their own. */
async function openSessions(db: Database, accountId: number): Promise<number[]> {
  await query(
    db,
    `WITH person AS (INSERT INTO users (account_id, email) VALUES ($1, 'signed.in@example.com') RETURNING *)
     INSERT INTO sessions (account_id, user_id, token_hash, expires_at)
     SELECT account_id, id, 'session ' || n, now() + interval '1 day'
     FROM person, generate_series(1, $2::integer) AS n`,
    [accountId, sessionsCount],
  );
  return idsOf(db, 'sessions', accountId);
}

/** No record is to pass for one of another table. */
async function spreadIds(db: Database): Promise<void> {
  const sequences = await query<{ name: string }>(
    db,
    "SELECT sequencename AS name FROM pg_sequences WHERE schemaname = 'public' ORDER BY 1",
  );
  for (const [at, { name }] of sequences.entries()) {
    await query(db, `ALTER SEQUENCE "${name}" RESTART ${(at + 1) * 1_000_000 + 1}`);
  }
}

/** Tables whose rows belong to an account. */
async function tablesOf(db: Database): Promise<string[]> {
  const rows = await query<{ name: string }>(
    db,
    `SELECT table_name AS name FROM information_schema.columns
     WHERE table_schema = 'public' AND column_name = 'account_id' ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

const idsOf = async (db: Database, table: string, accountId: number): Promise<number[]> => {
  const rows = await query<{ id: number }>(
    db,
    `SELECT id FROM "${table}" WHERE account_id = $1 ORDER BY id`,
    [accountId],
  );
  return rows.map(({ id }) => id);
};

/** Records of every kind, with nothing but what they must have. */
async function fillForeign(db: Database): Promise<number> {
  const [row] = await query<{ id: number }>(
    db,
    `WITH account AS (INSERT INTO accounts (name) VALUES ('') RETURNING id AS account_id),
     person AS (INSERT INTO users (account_id, email, role)
       SELECT account_id, 'foreign' || n, CASE n WHEN 1 THEN 'admin' ELSE 'member' END
       FROM account, generate_series(1, 3) AS n RETURNING *),
     contact AS (INSERT INTO contacts (account_id) SELECT account_id FROM account, generate_series(1, 5) RETURNING *),
     way AS (INSERT INTO pipelines (account_id) SELECT account_id FROM account RETURNING *),
     step AS (INSERT INTO stages (account_id, pipeline_id, position, deals_count)
       SELECT account_id, id, 1, 5 FROM way RETURNING *),
     deal AS (INSERT INTO deals (account_id, contact_id, pipeline_id, stage_id, rank, created_by_id)
       SELECT step.account_id, contact.id, step.pipeline_id, step.id, row_number() OVER (),
         (SELECT min(id) FROM person) FROM step, contact RETURNING *),
     assignee AS (INSERT INTO deal_assignees (account_id, deal_id, user_id)
       SELECT account_id, id, created_by_id FROM deal RETURNING *),
     product AS (INSERT INTO products (account_id) SELECT account_id FROM account, generate_series(1, 3) RETURNING *),
     attached AS (INSERT INTO deal_products (account_id, deal_id, product_id)
       SELECT deal.account_id, deal.id, product.id FROM deal, product RETURNING *),
     event AS (INSERT INTO events (account_id, contact_id, deal_id, kind)
       SELECT account_id, contact_id, id, 'note' FROM deal RETURNING *),
     entry AS (INSERT INTO audit_entries (account_id, action, record_type, record_id, before, after)
       SELECT account_id, 'contact.create', 'contact', id, '{}'::json, '{}'::json FROM contact
       UNION ALL SELECT account_id, type || '.delete', type, 9000000000 + n, '{}', NULL
       FROM account, (VALUES (1, 'contact'), (2, 'deal'), (3, 'product')) AS removed (n, type) RETURNING *),
     hook AS (INSERT INTO webhooks (account_id, url, events, enabled, secret)
       SELECT account_id, '', '{*}', false, 'whsec_' FROM account, generate_series(1, 2) RETURNING *),
     delivery AS (INSERT INTO webhook_deliveries
         (account_id, webhook_id, message_id, event, record_type, record_id, status, next_attempt_at)
       SELECT account_id, id, '', 'webhook.test', 'webhook', id, 'delivered', NULL FROM hook RETURNING *),
     session AS (INSERT INTO sessions (account_id, user_id, token_hash, expires_at)
       SELECT account_id, id, id, now() + interval '1 day' FROM person RETURNING *),
     view AS (INSERT INTO saved_views (account_id, user_id, list, name, shared)
       SELECT account_id, id, 'contacts', '', true FROM person RETURNING *),
     push AS (INSERT INTO web_push_subscriptions (account_id, user_id, endpoint, p256dh, auth)
       SELECT account_id, id, '', '', '' FROM person RETURNING *)
     SELECT account_id AS id FROM account`,
  );
  if (!row) throw new Error('the foreign account was not created');
  return row.id;
}

interface Column {
  readonly table: string;
  readonly column: string;
  readonly type: string;
}

/** Writes a marker into every column of texts, but for those that only certain texts may be in. */
async function mark(db: Database, accountId: number, marker: string): Promise<void> {
  const columns = await query<Column>(
    db,
    `SELECT table_name AS table, column_name AS column, data_type AS type
     FROM information_schema.columns AS c
     WHERE table_schema = 'public' AND coalesce(character_maximum_length, 64) >= 64 AND data_type IN ('text', 'character varying', 'json', 'ARRAY')
       AND (table_name = 'accounts' OR EXISTS (SELECT FROM information_schema.columns AS o
         WHERE o.table_schema = 'public' AND o.table_name = c.table_name AND o.column_name = 'account_id'))
       AND NOT EXISTS (SELECT FROM information_schema.constraint_column_usage AS u
         JOIN information_schema.check_constraints AS k USING (constraint_schema, constraint_name)
         WHERE u.table_name = c.table_name AND u.column_name = c.column_name)`,
  );
  for (const { table, column, type } of columns) {
    const value =
      { json: `json_build_object('${marker}', '${marker}')`, ARRAY: `ARRAY['${marker}']` }[type] ??
      `'${marker}' || id`;
    const key = table === 'accounts' ? 'id' : 'account_id';
    await query(db, `UPDATE "${table}" SET "${column}" = ${value} WHERE ${key} = $1`, [accountId]);
  }
}

/** A hash of all that each table has of an account; the use of a token does not count as a change. */
export async function hashesOf(db: Database, accountId: number): Promise<Map<string, string>> {
  const hashes = new Map<string, string>();
  for (const table of await tablesOf(db)) {
    const [row] = await query<{ hash: string }>(
      db,
      `SELECT md5(string_agg((to_jsonb(t) - 'last_used_at')::text, '' ORDER BY id)) AS hash
       FROM "${table}" AS t WHERE account_id = $1`,
      [accountId],
    );
    hashes.set(table, String(row?.hash));
  }
  return hashes;
}
