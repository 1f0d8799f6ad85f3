import { nameOf, type Seed } from '../seed.ts';
import { audit, columns, entry } from './audited.ts';
import { search } from './found.ts';
import { account, base, type Operation } from './operation.ts';
import { contact, deal, event, list } from './records.ts';

const path = '/api/v1/accounts/:account/contacts';
const terms = ['lima', 'souza', 'ab12', 'ff0', 'costa'];

/** Records of a batch. */
const inBatch = 1000;

/** The entry of one whose name was changed. */
const renamed = (before: string, after: string) =>
  audit(
    entry(
      'contact.update',
      'w',
      `json_build_object('full_name', ${before})`,
      `json_build_object('full_name', ${after})`,
    ),
  );

export const contactReads = ({ contactId }: Seed): readonly Operation[] => [
  {
    name: 'contact get',
    kind: 'read',
    status: 200,
    request: (n) => ({ method: 'GET', path: `${base}/contacts/${contactId(account, n * 7)}` }),
    byHand: {
      path: `${path}/:id`,
      sql: `SELECT (${contact('c')}, 'deals', ${list(`${deal('x')})`, 'deals x WHERE x.account_id = c.account_id AND x.contact_id = c.id')},
          'events', ${list(`${event('x')})`, 'events x WHERE x.account_id = c.account_id AND x.contact_id = c.id')}))::text
        FROM contacts c WHERE c.account_id = $1 AND c.id = $2`,
      values: ({ id }) => [id],
    },
  },
  {
    name: 'contact search',
    kind: 'read',
    status: 200,
    request: (n) => ({
      method: 'POST',
      path: `${base}/contacts/search`,
      body: JSON.stringify({ query: { full_name_cont: terms[n % terms.length] }, per_page: 20 }),
    }),
    byHand: {
      path: `${path}/search`,
      sql: search(
        contact('x'),
        'contacts',
        'lower(x.full_name COLLATE "unicode_case") LIKE lower($2::text COLLATE "unicode_case")',
      ),
      // A plan for any pattern was measured at sixty times the time of its own for one of a single
      // letter, and five for one that all rows hold.
      replanned: true,
      values: ({ body }) => [`%${(body.query?.full_name_cont ?? '').replace(/[\\%_]/g, '\\$&')}%`],
    },
  },
];

export const contactWrites = ({ contactId }: Seed): readonly Operation[] => [
  {
    name: 'contact create',
    kind: 'write',
    status: 201,
    request: (n) => ({
      method: 'POST',
      path: `${base}/contacts`,
      body: JSON.stringify({
        full_name: `New Contact ${n}`,
        email: `new${n}@example.com`,
        label_list: ['lead'],
        custom_attributes: { source: 'form', score: n % 100 },
      }),
    }),
    removal: (id) => ({ method: 'DELETE', path: `${base}/contacts/${id}` }),
    byHand: {
      path,
      sql: `WITH w AS (INSERT INTO contacts (account_id, full_name, email, phone, label_list, custom_attributes)
          VALUES ($1, $4, $5, '', $6, $7) RETURNING *), a AS (${audit(
            entry(
              'contact.create',
              'w',
              'NULL::json',
              columns(
                'w',
                'full_name',
                'email',
                'phone',
                'label_list',
                'app_type',
                'app_id',
                'chat_conversations_label_list',
                'custom_attributes',
                'additional_attributes',
              ),
            ),
          )})
        SELECT ${contact('w')})::text FROM w`,
      values: ({ body }) => [
        body.full_name,
        body.email,
        body.label_list,
        JSON.stringify(body.custom_attributes),
      ],
    },
  },
  {
    name: 'contact upsert',
    kind: 'write',
    status: 200,
    request: (n) => ({
      method: 'POST',
      path: `${base}/contacts/upsert`,
      body: JSON.stringify({
        email: `c${contactId(account, n * 7)}@example.com`,
        // Names as they were: a search finds as much after these writes as before.
        full_name: nameOf(n),
      }),
    }),
    byHand: {
      path: `${path}/upsert`,
      sql: `WITH b AS (SELECT id, full_name AS before FROM contacts WHERE account_id = $1 AND NULLIF(email, '') = $4
          FOR NO KEY UPDATE),
        w AS (UPDATE contacts c SET full_name = $5, updated_at = now() FROM b WHERE c.account_id = $1 AND c.id = b.id
          RETURNING c.*, b.before),
        a AS (${renamed('w.before', 'w.full_name')})
        SELECT ${contact('w')})::text FROM w`,
      values: ({ body }) => [body.email, body.full_name],
    },
  },
  {
    name: 'contact batch',
    kind: 'write',
    status: 200,
    connections: 2,
    request: (n) => ({
      method: 'POST',
      path: `${base}/contacts/batch`,
      body: JSON.stringify({
        operation: 'upsert',
        records: Array.from({ length: inBatch }, (_, at) => ({
          email: `c${contactId(account, n * inBatch + at)}@example.com`,
          // Another one each time, or nothing is written.
          full_name: `${nameOf(n * inBatch + at)} ${n}`,
        })),
      }),
    }),
    byHand: {
      path: `${path}/batch`,
      sql: `WITH s AS (SELECT * FROM json_to_recordset($4::json) AS r (email text, full_name text)),
        b AS (SELECT c.id, c.full_name AS before, s.full_name, row_number() OVER () - 1 AS n
          FROM s JOIN contacts c ON c.account_id = $1 AND NULLIF(c.email, '') = s.email),
        w AS (UPDATE contacts c SET full_name = b.full_name, updated_at = now() FROM b WHERE c.account_id = $1 AND c.id = b.id
          RETURNING c.*, b.before, b.n),
        a AS (${renamed('w.before', 'w.full_name')})
        SELECT json_build_object('results', json_agg(json_build_object('index', n, 'status', 200, 'id', id) ORDER BY n),
          'summary', json_build_object('created', 0, 'updated', count(*), 'deleted', 0, 'failed', 0))::text FROM w`,
      values: ({ body }) => [JSON.stringify(body.records)],
    },
  },
];
