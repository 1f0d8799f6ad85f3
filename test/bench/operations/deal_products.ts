import type { Seed } from '../seed.ts';
import { audit, columns, entry } from './audited.ts';
import { account, base, type Operation } from './operation.ts';
import { deal, dealProduct, product } from './records.ts';

/** Of a deal grow the products, its total and its history. */
const attached = `WITH p AS (SELECT * FROM products WHERE account_id = $1 AND id = $4),
    w AS (INSERT INTO deal_products (account_id, product_id, deal_id, quantity, unit_amount_in_cents, total_amount_in_cents, product_name, product_identifier)
      SELECT $1, p.id, $5, $6::bigint, p.amount_in_cents, p.amount_in_cents * $6::bigint, p.name, p.identifier FROM p RETURNING *),
    d AS (UPDATE deals SET total_deal_products_amount_in_cents = total_deal_products_amount_in_cents + w.total_amount_in_cents,
      updated_at = now() FROM w WHERE deals.account_id = $1 AND deals.id = $5 RETURNING deals.*, w.total_amount_in_cents AS added),
    e AS (INSERT INTO events (account_id, created_by_id, deal_id, contact_id, kind, from_me, done_at, additional_attributes)
      SELECT $1, $2::bigint, d.id, d.contact_id, 'deal_product_added', true, now(), json_build_object('product_id', w.product_id,
        'product_name', w.product_name, 'deal_id', d.id, 'deal_name', d.name) FROM w, d RETURNING *),
    a AS (${audit(
      entry(
        'deal_product.create',
        'w',
        'NULL::json',
        columns(
          'w',
          'deal_id',
          'product_id',
          'quantity',
          'unit_amount_in_cents',
          'total_amount_in_cents',
          'product_name',
          'product_identifier',
        ),
      ),
      entry(
        'deal.update',
        'd',
        `json_build_object('total_deal_products_amount_in_cents', d.total_deal_products_amount_in_cents - d.added)`,
        `json_build_object('total_deal_products_amount_in_cents', d.total_deal_products_amount_in_cents)`,
      ),
      entry(
        'event.create',
        'e',
        'NULL::json',
        columns(
          'e',
          'contact_id',
          'deal_id',
          'created_by_id',
          'kind',
          'title',
          'content',
          'from_me',
          'auto_done',
          'scheduled_at',
          'done_at',
          'custom_attributes',
          'additional_attributes',
        ),
      ),
    )})
    SELECT (${dealProduct('w')}, 'product', (SELECT ${product('p')}) FROM p), 'deal', (SELECT ${deal('d')}) FROM d)))::text FROM w`;

export const dealProductWrites = ({ productId, dealId }: Seed): readonly Operation[] => [
  {
    name: 'deal product create',
    kind: 'write',
    status: 201,
    request: (n) => ({
      method: 'POST',
      path: `${base}/deal_products`,
      body: JSON.stringify({
        product_id: productId(account, n),
        deal_id: dealId(account, n * 7),
        quantity: 1 + (n % 5),
      }),
    }),
    removal: (id) => ({ method: 'DELETE', path: `${base}/deal_products/${id}` }),
    byHand: {
      path: '/api/v1/accounts/:account/deal_products',
      sql: attached,
      values: ({ body }) => [body.product_id, body.deal_id, body.quantity],
    },
  },
];
