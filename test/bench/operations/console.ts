/** What pages of the console ask, with the cookie of a person who signed in. */
import { hashOf } from '../../../src/auth/sessions.ts';
import type { Database } from '../../../src/db/database.ts';
import { sql } from '../../../src/db/sql/sql.ts';
import { BoardDocument, ContactsDocument, WhoDocument } from '../../../src/generated/console.ts';
import { account, graphql, type Operation } from './operation.ts';
import { at } from './records.ts';

const secret = 'a'.repeat(43);

async function signIn(db: Database): Promise<void> {
  await db.query(sql`INSERT INTO sessions (account_id, user_id, token_hash, expires_at)
    VALUES (${account}, ${account}, ${hashOf(secret)}, now() + interval '12 hours')
    ON CONFLICT (account_id, token_hash) DO UPDATE SET created_at = now(), expires_at = excluded.expires_at`);
}

/** @param given variables besides the account */
const asking = (document: { toString(): string }, given: Readonly<Record<string, unknown>>) => {
  const request = graphql(String(document), { account_id: account, ...given }, secret);
  return { kind: 'read', status: 200, prepare: signIn, request: () => request } as const;
};

/** Filters that are not set are sent nevertheless. */
const noFilter = { created_at_gteq: '', created_at_lt: '' };

const who = `SELECT json_build_object('data', json_build_object(
    'me', json_build_object('role', u.role, 'user',
      json_build_object('id', u.id, 'full_name', u.full_name, 'email', u.email, 'language', u.language)),
    'account', json_build_object('id', a.id, 'version', md5(ROW(a.name, a.default_country, a.time_zone, a.currency, a.updated_at)::text), 'name', a.name, 'default_country', a.default_country, 'time_zone', a.time_zone, 'currency', a.currency)))::text
  FROM accounts a JOIN users u ON u.account_id = a.id WHERE a.id = $1 AND u.id = $2`;

const board = `SELECT json_build_object('data', json_build_object('pipeline_board', json_build_object('stages',
    json_agg(json_build_object('stage', json_build_object('id', s.id, 'name', s.name), 'count', all_.count, 'sum_in_cents', all_.sum,
      'deals', first.deals) ORDER BY s.position))))::text
  FROM stages s, LATERAL (
      SELECT count(*), coalesce(sum(total_deal_products_amount_in_cents), 0) AS sum FROM deals
      WHERE account_id = $1 AND stage_id = s.id AND status = $3
    ) AS all_, LATERAL (
      SELECT coalesce(json_agg(json_build_object('id', d.id, 'name', d.name, 'status', d.status, 'position', d.rank,
        'total_deal_products_amount_in_cents', d.total_deal_products_amount_in_cents,
        'contact', (SELECT json_build_object('full_name', c.full_name, 'email', c.email, 'phone', c.phone)
          FROM contacts c WHERE c.account_id = $1 AND c.id = d.contact_id),
        'deal_assignees_count', (SELECT count(*) FROM deal_assignees WHERE account_id = $1 AND deal_id = d.id),
        'deal_assignees', (SELECT coalesce(json_agg(json_build_object('user', (
            SELECT json_build_object('full_name', u.full_name, 'email', u.email)
            FROM users u WHERE u.account_id = $1 AND u.id = x.user_id)) ORDER BY x.id), '[]')
          FROM (SELECT * FROM deal_assignees WHERE account_id = $1 AND deal_id = d.id ORDER BY id LIMIT 3) AS x)
        ) ORDER BY d.rank), '[]') AS deals
      FROM (SELECT * FROM deals WHERE account_id = $1 AND stage_id = s.id AND status = $3 ORDER BY rank LIMIT 100) AS d
    ) AS first
  WHERE s.account_id = $1 AND s.pipeline_id = $2`;

const contacts = `SELECT json_build_object('data', json_build_object('list', json_build_object(
    'data', (SELECT json_agg(json_build_object('id', x.id, 'full_name', x.full_name, 'email', x.email, 'phone', x.phone,
        'label_list', x.label_list, 'created_at', ${at('x.created_at')}) ORDER BY x.created_at DESC, x.id)
      FROM (SELECT * FROM contacts WHERE account_id = $1 ORDER BY created_at DESC, id LIMIT 25) AS x),
    'pagination', json_build_object('page', 1, 'pages', greatest(1, (n + 24) / 25), 'count', n,
      'from', least(1, n), 'to', least(25, n), 'prev', NULL, 'next', CASE WHEN n > 25 THEN 2 END))))::text
  FROM (SELECT count(*) AS n FROM contacts WHERE account_id = $1) AS counted`;

export const consoleOperations: readonly Operation[] = [
  {
    name: 'console who',
    ...asking(WhoDocument, {}),
    byHand: { sql: who, values: ({ viewer }) => [viewer.userId] },
  },
  {
    name: 'console contacts',
    ...asking(ContactsDocument, {
      query: {
        full_name_or_email_or_phone_cont: '',
        label_list_eq: '',
        ...noFilter,
        s: 'created_at desc',
      },
      page: 1,
    }),
    byHand: { sql: contacts },
  },
  {
    name: 'console board',
    // Each account's pipeline has its number.
    ...asking(BoardDocument, {
      pipeline_id: account,
      query: {
        name_or_contact_full_name_or_contact_email_cont: '',
        status_eq: 'open',
        stage_id_eq: '',
        users_id_eq: '',
        contact_label_list_eq: '',
        ...noFilter,
      },
    }),
    byHand: { sql: board, values: ({ body }) => [body.pipeline_id, body.query?.status_eq] },
  },
];
