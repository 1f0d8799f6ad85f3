/** One small account, from which all examples of the document are taken. */

export const moment = '2026-03-01T10:00:00.123Z';

export const requestId = '1f0e4c52-6f0a-4d53-9d0e-3b8f6f2f7f11';
/** A place in the feed of changes. */
export const cursor = 'MTEzYzk5NTNmMjcxLm9xLjk5ZA';

/** By field, or by type and field where the types differ. */
const values: Readonly<Record<string, unknown>> = {
  amount_in_cents: 19900,
  avatar_url: 'https://example.com/ana.png',
  contact_attributes: { full_name: 'Ana Souza', email: 'ana@example.com' },
  default_country: 'BR',
  custom_attributes: { city: 'Recife' },
  description: 'Twelve months of the service',
  email: 'ana@example.com',
  full_name: 'Ana Souza',
  identifier: 'PLAN-12',
  job_description: 'sales_manager',
  kind: 'note',
  label_list: ['customer'],
  language: 'pt-BR',
  password: 'correct horse battery',
  password_confirmation: 'correct horse battery',
  phone: '+5511912345678',
  product_identifier: 'PLAN-12',
  product_name: 'Annual plan',
  quantity: 2,
  quantity_available: 40,
  role: 'admin',
  status: 'open',
  theme_preference: 'system',
  time_zone: 'America/Sao_Paulo',
  currency: 'BRL',
  title: 'Call back',
  total_amount_in_cents: 39800,
  total_deal_products_amount_in_cents: 39800,
  unit_amount_in_cents: 19900,
  access_token: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
  expires_in: '90d',
  scopes: ['contacts:read', 'deals:write'],
  'Account.name': 'Acme',
  'BatchResult.index': 0,
  'BatchResult.status': 200,
  'BatchSummary.created': 0,
  'BatchSummary.deleted': 0,
  'BatchSummary.failed': 0,
  'BatchSummary.updated': 1,
  'Change.action': 'update',
  'Change.after': { status: 'won' },
  'Change.before': { status: 'open' },
  'Change.cursor': cursor,
  'Change.record_type': 'deal',
  'Change.request_id': requestId,
  'ChangePage.next': cursor,
  // Of the demo's first deal: its creator is assigned already, and it has the second product.
  'DealAssignee.user_id': 2,
  'DealProduct.product_id': 2,
  'Deal.name': 'Website redesign',
  // Which contact or deal an event is of, its path says.
  'Event.contact_id': undefined,
  'Event.deal_id': undefined,
  'Event.status': null,
  'Pipeline.name': 'Sales',
  'Product.name': 'Annual plan',
  'Stage.name': 'Proposal',
  'Token.name': 'Website form',
  'Webhook.description': 'Data warehouse',
  'Webhook.events': ['contact.*', 'deal.update'],
  'Webhook.url': 'https://example.com/changes',
  'ContactMerge.from': [2],
  'WebhookReplay.from': '2026-03-01T00:00:00.000Z',
  'WebhookReplay.to': '2026-03-02T00:00:00.000Z',
  'WebhookDelivery.event': 'contact.update',
  'WebhookDelivery.message_id': 'msg_0af31c9be24d_1',
  'WebhookDelivery.record_type': 'contact',
  'WebhookDelivery.status': 'delivered',
  'IssuedWebhook.secret': 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
};

/** The type of record that an input describes, by its name; any other type is its own. */
export const recordOf = (type: string): string => type.replace(/(Upsert|Update)?Input$/, '');

/**
 * What a field holds in the examples.
 * @param type name of the type that has the field; an input counts as what it describes
 * @returns undefined when the scalar's example will do
 */
export function exampleOf(type: string, field: string): unknown {
  const own = `${recordOf(type)}.${field}`;
  if (own in values) return values[own];
  if (field in values) return values[field];
  return field === 'id' || field.endsWith('_id') ? 1 : undefined;
}

interface SearchExample {
  readonly finds: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly per_page?: number;
}

/** Searches to begin with, by the operation that searches; the first is the one that is shown. */
export const searchExamples: Readonly<Record<string, Readonly<Record<string, SearchExample>>>> = {
  contacts: {
    text: {
      finds: 'By a part of the name or the e-mail, the newest first',
      query: { full_name_or_email_cont: 'an', s: 'created_at desc' },
    },
    label: { finds: 'By a label', query: { label_list_eq: 'vip' } },
    changed: {
      finds: 'Changed since the last time',
      query: { updated_at_gteq: '2026-01-01T00:00:00Z', s: 'updated_at' },
    },
    without_deal: { finds: 'Without a deal', query: { deals_id_null: true } },
    won_deal: {
      finds: 'With a deal that was won, or is about to be',
      query: { m: 'or', deals_status_eq: 'won', deals_stage_name_eq: 'Closing' },
    },
    walk: {
      finds: 'All of them, page after page: the last id goes into the next query',
      query: { id_gt: 0, s: 'id' },
      per_page: 100,
    },
  },
  deals: {
    open: {
      finds: 'Open, the largest first',
      query: { status_eq: 'open', s: 'total_deal_products_amount_in_cents desc' },
    },
    company: {
      finds: 'Of contacts of one company',
      query: { contact_email_end: '@example.com' },
    },
    closed: {
      finds: 'Won or lost this year',
      query: {
        g: [{ m: 'or', won_at_gteq: '2026-01-01', lost_at_gteq: '2026-01-01' }],
        status_in: ['won', 'lost'],
      },
    },
    product: { finds: 'With a product', query: { products_identifier_eq: 'CRM-PRO' } },
  },
  deal_products: {
    several: { finds: 'More than one at once', query: { quantity_gt: 1, s: 'quantity desc' } },
  },
  products: {
    text: {
      finds: 'By a part of the name or the description',
      query: { name_or_description_cont: 'plan', s: 'amount_in_cents' },
    },
  },
  users: { text: { finds: 'By a part of the name', query: { full_name_cont: 'an' } } },
  events: {
    stages: {
      finds: 'Stage changes and results of deals, the newest first',
      query: { kind_start: 'deal_', s: 'created_at desc' },
    },
  },
  pipelines: { name: { finds: 'By name', query: { name_eq: 'Sales' } } },
  stages: {
    pipeline: {
      finds: 'Of one pipeline, in order',
      query: { pipeline_name_eq: 'Sales', s: 'position' },
    },
  },
};
