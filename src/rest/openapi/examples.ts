/** One small account, from which all examples of the document are taken. */

export const moment = '2026-03-01T10:00:00.123Z';

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
  phone: '+5511987654321',
  product_identifier: 'PLAN-12',
  product_name: 'Annual plan',
  quantity: 2,
  quantity_available: 40,
  role: 'member',
  status: 'open',
  theme_preference: 'system',
  time_zone: 'America/Sao_Paulo',
  title: 'Call back',
  total_amount_in_cents: 39800,
  total_deal_products_amount_in_cents: 39800,
  unit_amount_in_cents: 19900,
  'Account.name': 'Acme',
  'Deal.name': 'Website redesign',
  'Event.status': null,
  'Pipeline.name': 'Sales',
  'Product.name': 'Annual plan',
  'Stage.name': 'Proposal',
};

/**
 * What a field holds in the examples.
 * @param type name of the type that has the field; an input counts as what it describes
 * @returns undefined when the scalar's example will do
 */
export function exampleOf(type: string, field: string): unknown {
  const own = `${type.replace(/(Upsert|Update)?Input$/, '')}.${field}`;
  if (own in values) return values[own];
  if (field in values) return values[field];
  return field === 'id' || field.endsWith('_id') ? 1 : undefined;
}

export const requestId = '1f0e4c52-6f0a-4d53-9d0e-3b8f6f2f7f11';
