/** Two thousand random records of one account, in the database and as objects that refer to each other. */
import { Random } from '../fuzz/random.ts';
import type { World } from '../kit/world.ts';

/** A record with its columns, and under the names of the search language those that belong to it. */
export interface Row {
  readonly [name: string]: unknown;
}

export type Kind = 'contacts' | 'deals' | 'deal_products' | 'events' | 'products' | 'users';

export type Data = Readonly<Record<Kind, readonly Row[]>>;

/** Hours around changes of clocks, and around the ends of months and years. */
const times = ['2024-10-26T21:00Z', '2024-12-31T20:00Z', '2025-02-28T12:00Z', '2025-03-29T22:00Z'];
const hour = 3_600_000;

function moment(random: Random): string {
  const start = Date.parse(random.pick(times));
  return new Date(start + random.below(60 * 24) * hour + random.below(3_600_000)).toISOString();
}

/** Adds rows to a table, each with the columns of the first. */
async function insert({ service, accountId }: World, table: string, rows: readonly object[]) {
  const columns = Object.keys(rows[0] ?? {});
  const list = columns.map((column) => `"${column}"`).join();
  const of = columns.map((column) => `row."${column}"`).join();
  const ids = await service.database.query<{ id: number }>(
    `INSERT INTO ${table} (account_id, ${list}) SELECT $1, ${of}
     FROM json_array_elements($2::json) WITH ORDINALITY AS one (value, at), json_populate_record(NULL::${table}, value) AS row
     ORDER BY at RETURNING id`,
    [accountId, JSON.stringify(rows)],
  );
  return ids.map(({ id }) => id);
}

const labels = ['vip', 'new', 'partner', 'Ärger', 'lost case'];
const sources = ['web', 'fair', 'referral', ''];

/** Fills an account, and reads it back. */
export async function fill(w: World, seed: number): Promise<Data> {
  const random = new Random(seed);
  const times_ = () => ({ created_at: moment(random), updated_at: moment(random) });
  const users = await insert(
    w,
    'users',
    Array.from({ length: 8 }, (_, n) => ({
      email: `seller${n}.${w.accountId}@example.com`,
      full_name: n === 7 ? '' : `Seller ${n % 6}`,
      language: random.pick(['en', 'de', 'pt-BR']),
      job_description: random.pick(['other', 'sales_manager']),
      role: 'member',
      password_hash: '',
      avatar_url: '',
      theme_preference: 'system',
      webpush_notify_on_event_expired: false,
      ...times_(),
    })),
  );
  const contacts = await insert(
    w,
    'contacts',
    Array.from({ length: 300 }, (_, n) => ({
      full_name: random.chance(0.1) ? '' : `Person ${n % 97}`,
      email: random.chance(0.3) ? '' : `p${n}@example.com`,
      phone: '',
      label_list: random.some(labels, 0.3),
      chat_conversations_label_list: [],
      custom_attributes: random.chance(0.2) ? {} : { source: random.pick(sources), score: n % 4 },
      additional_attributes: {},
      ...times_(),
    })),
  );
  const products = await insert(
    w,
    'products',
    Array.from({ length: 30 }, (_, n) => ({
      identifier: `P${n % 9}`,
      name: `Product ${n % 12}`,
      description: '',
      amount_in_cents: 100 * random.below(50),
      quantity_available: random.below(9),
      custom_attributes: { colour: random.pick(['red', 'blue']) },
      additional_attributes: {},
      ...times_(),
    })),
  );
  const stages = [...w.stageIds, w.other.stageId];
  const deals = await insert(
    w,
    'deals',
    Array.from({ length: 600 }, (_, n) => {
      const [stage_id, status] = [random.pick(stages), random.pick(['open', 'won', 'lost'])];
      return {
        contact_id: random.pick(contacts),
        stage_id,
        pipeline_id: stage_id === w.other.stageId ? w.other.pipelineId : w.pipelineId,
        created_by_id: random.chance(0.1) ? null : random.pick(users),
        name: `Deal ${n % 50}`,
        status,
        rank: n + 1,
        rank_fraction: 0,
        lost_reason: status === 'lost' ? random.pick(['Price', 'Timing', '']) : '',
        won_at: status === 'won' ? moment(random) : null,
        lost_at: status === 'lost' ? moment(random) : null,
        total_deal_products_amount_in_cents: 0,
        custom_attributes: { channel: random.pick(['shop', 'phone']) },
        ...times_(),
      };
    }),
  );
  await insert(
    w,
    'deal_assignees',
    deals.flatMap((deal_id) =>
      random.some(users, 0.12).map((user_id) => ({ deal_id, user_id, ...times_() })),
    ),
  );
  await insert(
    w,
    'deal_products',
    Array.from({ length: 600 }, () => {
      const [quantity, unit_amount_in_cents] = [random.between(1, 5), 50 * random.below(40)];
      return {
        deal_id: random.pick(deals),
        product_id: random.pick(products),
        quantity,
        unit_amount_in_cents,
        total_amount_in_cents: quantity * unit_amount_in_cents,
        product_name: `Sold ${random.below(7)}`,
        product_identifier: '',
        ...times_(),
      };
    }),
  );
  await insert(
    w,
    'events',
    Array.from({ length: 500 }, () => ({
      contact_id: random.pick(contacts),
      deal_id: random.chance(0.3) ? null : random.pick(deals),
      kind: random.pick(['note', 'activity', 'deal_opened', 'deal_won']),
      title: random.pick(['Call', 'Visit', '']),
      content: '',
      auto_done: false,
      scheduled_at: random.chance(0.5) ? moment(random) : null,
      done_at: random.chance(0.5) ? moment(random) : null,
      custom_attributes: {},
      additional_attributes: {},
      ...times_(),
    })),
  );
  await w.service.database.query(
    `UPDATE deals SET total_deal_products_amount_in_cents = (SELECT coalesce(sum(total_amount_in_cents), 0)
       FROM deal_products AS p WHERE p.account_id = $1 AND p.deal_id = deals.id) WHERE account_id = $1`,
    [w.accountId],
  );
  return read(w);
}

/** Reads an account, and joins in memory what belongs together. */
async function read({ service, accountId }: World): Promise<Data> {
  const all = async (table: string): Promise<Record<string, unknown>[]> => {
    const rows = await service.database.query<{ row: string }>(
      `SELECT row_to_json(t)::text AS row FROM ${table} AS t WHERE account_id = $1 ORDER BY id`,
      [accountId],
    );
    return rows.map(({ row }) => JSON.parse(row));
  };
  const tables = await Promise.all(
    ['contacts', 'deals', 'deal_products', 'events', 'products', 'users'].map(all),
  );
  const [contacts = [], deals = [], deal_products = [], events = [], products = [], users = []] =
    tables;
  const [stages, pipelines, assignees] = await Promise.all(
    ['stages', 'pipelines', 'deal_assignees'].map(all),
  );
  const by = (rows: readonly Record<string, unknown>[] = []) =>
    new Map(rows.map((row) => [row['id'], row]));
  const [contactOf, dealOf, productOf] = [by(contacts), by(deals), by(products)];
  const [userOf, stageOf, pipelineOf] = [by(users), by(stages), by(pipelines)];
  for (const one of assignees ?? []) one['user'] = userOf.get(one['user_id']);
  for (const stage of stages ?? []) stage['pipeline'] = pipelineOf.get(stage['pipeline_id']);
  for (const sold of deal_products) {
    sold['deal'] = dealOf.get(sold['deal_id']);
    sold['product'] = productOf.get(sold['product_id']);
  }
  for (const event of events) {
    event['deal'] = dealOf.get(event['deal_id']);
    event['contact'] = contactOf.get(event['contact_id']);
  }
  for (const deal of deals) {
    const own = deal_products.filter((sold) => sold['deal_id'] === deal['id']);
    const assigned = (assignees ?? []).filter((one) => one['deal_id'] === deal['id']);
    Object.assign(deal, {
      closed_at: deal['won_at'] ?? deal['lost_at'],
      contact: contactOf.get(deal['contact_id']),
      stage: stageOf.get(deal['stage_id']),
      pipeline: pipelineOf.get(deal['pipeline_id']),
      creator: userOf.get(deal['created_by_id']),
      deal_products: own,
      products: own.map((sold) => productOf.get(sold['product_id'])),
      deal_assignees: assigned,
      users: assigned.map((one) => userOf.get(one['user_id'])),
      events: events.filter((event) => event['deal_id'] === deal['id']),
    });
  }
  for (const contact of contacts) {
    contact['deals'] = deals.filter((deal) => deal['contact_id'] === contact['id']);
    contact['events'] = events.filter((event) => event['contact_id'] === contact['id']);
  }
  for (const product of products) {
    const own = deal_products.filter((sold) => sold['product_id'] === product['id']);
    product['deal_products'] = own;
    product['deals'] = own.map((sold) => sold['deal']);
  }
  for (const user of users) {
    const own = (assignees ?? []).filter((one) => one['user_id'] === user['id']);
    user['deals'] = own.map((one) => dealOf.get(one['deal_id']));
  }
  return { contacts, deals, deal_products, events, products, users };
}
