import type { Seed } from '../seed.ts';
import { audit, entry } from './audited.ts';
import { found, search } from './found.ts';
import { account, base, graphql, type Operation } from './operation.ts';
import { contact, deal, dealProduct, list, stamps } from './records.ts';

const path = '/api/v1/accounts/:account/deals';

/** A stage's deals, looked for by this of `$2` and `$3`. */
const inStage = 'x.status = $2 AND x.stage_id = $3';

const dashboard = `query ($account_id: Integer!, $query: SearchQuery) {
  deals(account_id: $account_id, query: $query, per_page: 20) {
    data {
      id
      name
      total_deal_products_amount_in_cents
      contact { id full_name email }
      stage { name }
      deal_products { quantity product { name } }
    }
    pagination { count }
  }
}`;

export function dealReads({ dealId, stageId }: Seed): readonly Operation[] {
  const query = (n: number) => ({ status_eq: 'open', stage_id_eq: stageId(account, n) });
  return [
    {
      name: 'deal get',
      kind: 'read',
      status: 200,
      request: (n) => ({ method: 'GET', path: `${base}/deals/${dealId(account, n * 7)}` }),
      byHand: {
        path: `${path}/:id`,
        sql: `SELECT (${deal('d')}, 'contact', (SELECT ${contact('c')}) FROM contacts c WHERE c.account_id = d.account_id AND c.id = d.contact_id),
            'stage', (SELECT json_build_object('id', s.id, 'name', s.name, 'pipeline_id', s.pipeline_id, 'position', s.position, ${stamps('s')})
              FROM stages s WHERE s.account_id = d.account_id AND s.id = d.stage_id),
            'pipeline', (SELECT json_build_object('id', p.id, 'name', p.name, ${stamps('p')})
              FROM pipelines p WHERE p.account_id = d.account_id AND p.id = d.pipeline_id),
            'deal_assignees', ${list(`json_build_object('id', x.id, 'deal_id', x.deal_id, 'user_id', x.user_id, ${stamps('x')})`, 'deal_assignees x WHERE x.account_id = d.account_id AND x.deal_id = d.id')},
            'deal_products', ${list(`${dealProduct('x')})`, 'deal_products x WHERE x.account_id = d.account_id AND x.deal_id = d.id')}))::text
          FROM deals d WHERE d.account_id = $1 AND d.id = $2`,
        values: ({ id }) => [id],
      },
    },
    {
      name: 'deal search',
      kind: 'read',
      status: 200,
      request: (n) => ({
        method: 'POST',
        path: `${base}/deals/search`,
        body: JSON.stringify({ query: query(n), per_page: 20 }),
      }),
      byHand: {
        path: `${path}/search`,
        sql: search(deal('x'), 'deals', inStage),
        values: ({ body }) => [body.query?.status_eq, body.query?.stage_id_eq],
      },
    },
    {
      name: 'dashboard query',
      kind: 'read',
      status: 200,
      request: (n) => graphql(dashboard, { account_id: account, query: query(n) }),
      byHand: {
        sql: `${found('deals', inStage)}
          SELECT json_build_object('data', json_build_object('deals', json_build_object('data', (SELECT coalesce(json_agg(json_build_object(
            'id', d.id, 'name', d.name, 'total_deal_products_amount_in_cents', d.total_deal_products_amount_in_cents,
            'contact', (SELECT json_build_object('id', c.id, 'full_name', c.full_name, 'email', c.email) FROM contacts c WHERE c.account_id = d.account_id AND c.id = d.contact_id),
            'stage', (SELECT json_build_object('name', s.name) FROM stages s WHERE s.account_id = d.account_id AND s.id = d.stage_id),
            'deal_products', ${list(`json_build_object('quantity', x.quantity, 'product', (SELECT json_build_object('name', p.name) FROM products p WHERE p.account_id = x.account_id AND p.id = x.product_id))`, 'deal_products x WHERE x.account_id = d.account_id AND x.deal_id = d.id')}) ORDER BY d.id), '[]') FROM page d),
            'pagination', json_build_object('count', (SELECT n FROM found)))))::text`,
        values: ({ body }) => [body.query?.status_eq, body.query?.stage_id_eq],
      },
    },
  ];
}

export const dealWrites = ({ dealId }: Seed): readonly Operation[] => [
  {
    name: 'deal update',
    kind: 'write',
    status: 200,
    request: (n) => ({
      method: 'PUT',
      path: `${base}/deals/${dealId(account, n * 7)}`,
      body: JSON.stringify({ name: `Renamed ${n}` }),
    }),
    byHand: {
      path: `${path}/:id`,
      sql: `WITH b AS (SELECT id, name AS before FROM deals WHERE account_id = $1 AND id = $4 FOR NO KEY UPDATE),
        w AS (UPDATE deals d SET name = $5, updated_at = now() FROM b WHERE d.account_id = $1 AND d.id = b.id
          RETURNING d.*, b.before),
        a AS (${audit(entry('deal.update', 'w', `json_build_object('name', w.before)`, `json_build_object('name', w.name)`))})
        SELECT ${deal('w')})::text FROM w`,
      values: ({ id, body }) => [id, body.name],
    },
  },
];
