/**
 * What the demo account holds: notes and deals name their contact, deals stage and products, and how many days
 * ago they began, with their contact.
 */
export const demo = {
  account: 'Demo',
  admin: { email: 'admin@example.com', full_name: 'Ana Admin', job_description: 'sales_manager' },
  member: { email: 'member@example.com', full_name: 'Max Member' },
  pipeline: { name: 'Sales', stages: ['Lead', 'Qualified', 'Proposal', 'Negotiation', 'Closing'] },
  contacts: [
    {
      full_name: 'Maria Silva',
      email: 'maria.silva@example.com',
      phone: '+5511987654321',
      label_list: ['vip', 'newsletter'],
    },
    {
      full_name: 'John Carter',
      email: 'john.carter@example.com',
      phone: '+14155552671',
      label_list: ['trial'],
    },
    { full_name: 'Émilie Dupont', email: 'emilie.dupont@example.com', phone: '+33612345678' },
    { full_name: 'Jürgen Groß', email: 'juergen.gross@example.com', phone: '+4915112345678' },
    { full_name: 'Yuki Tanaka', email: 'yuki.tanaka@example.com' },
  ],
  notes: [
    {
      contact: 'Maria Silva',
      title: 'Call back',
      content: 'Wants to know what onboarding costs for two offices.',
    },
  ],
  products: [
    {
      identifier: 'CRM-BASIC',
      name: 'Basic plan',
      description: 'One year, up to five users',
      amount_in_cents: 49_900,
      quantity_available: 1000,
    },
    {
      identifier: 'CRM-PRO',
      name: 'Professional plan',
      description: 'One year, up to fifty users',
      amount_in_cents: 199_900,
      quantity_available: 500,
    },
    {
      identifier: 'ONBOARDING',
      name: 'Onboarding',
      description: 'Two days with your team',
      amount_in_cents: 120_000,
      quantity_available: 20,
    },
  ],
  deals: [
    {
      name: 'Silva & Filhos: first year',
      contact: 'Maria Silva',
      days_ago: 34,
      stage: 'Negotiation',
      products: [
        { identifier: 'CRM-PRO', quantity: 1 },
        { identifier: 'ONBOARDING', quantity: 2 },
      ],
    },
    {
      name: 'Carter Logistics: pilot',
      contact: 'John Carter',
      days_ago: 9,
      stage: 'Qualified',
      products: [{ identifier: 'CRM-BASIC', quantity: 3 }],
    },
    {
      name: 'Dupont et Cie',
      contact: 'Émilie Dupont',
      days_ago: 2,
      stage: 'Lead',
      products: [],
    },
    {
      name: 'Groß GmbH: renewal',
      contact: 'Jürgen Groß',
      days_ago: 21,
      stage: 'Closing',
      status: 'won',
      products: [{ identifier: 'CRM-PRO', quantity: 2 }],
    },
    {
      name: 'Tanaka Trading',
      contact: 'Yuki Tanaka',
      days_ago: 47,
      stage: 'Proposal',
      status: 'lost',
      lost_reason: 'Budget was cut',
      products: [],
    },
  ],
} as const;
