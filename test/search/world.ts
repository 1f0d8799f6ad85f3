/** Small random accounts full of the values that searches stumble over, loaded once. */
import fc from 'fast-check';
import type { Queryable } from '../../src/db/database.ts';
import { join, name, sql } from '../../src/db/sql/sql.ts';

export type Cell =
  | string
  | number
  | boolean
  | null
  | readonly string[]
  | Readonly<Record<string, unknown>>;
export type Row = Readonly<Record<string, Cell>>;

/** The tables of one account, every row without its account. */
export interface World {
  readonly users: readonly Row[];
  readonly contacts: readonly Row[];
  readonly pipelines: readonly Row[];
  readonly stages: readonly Row[];
  readonly deals: readonly Row[];
  readonly events: readonly Row[];
  readonly deal_assignees: readonly Row[];
  readonly products: readonly Row[];
  readonly deal_products: readonly Row[];
}

export type Table = keyof World;

export const words = [
  '', ' ', 'a', 'A', 'ana', 'Ana', 'ANA', 'ana b', 'é', 'É', 'Caf\u00c9', 'caf\u00e9', 'e\u0301',
  'ς', 'Σ', 'σ', 'ΑΣ', 'İ', 'ı', 'i', 'I', 'ß', 'ẞ', 'K', '\u212a', 'ǅ', '山田', '😀', '😀x',
  '%', '_', '\\', 'a%b', 'a_b', 'a\\b', 'axb', "o'brien", '"', '$1', '--', 'b', 'B', 'ab', 'aB', 'ba',
  '10', '9', 'null', '{a}', '\u00a0', '\u00a0a', '\ufeff', 'a\nb', 'zzz',
]; // biome-ignore format: a list of words

/** A few that come often, so that conditions meet what they ask for. */
export const common = ['', 'a', 'A', 'ana', 'Ana', 'b', 'é'];
const word = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...common) },
  // As texts of one line are stored.
  { weight: 1, arbitrary: fc.constantFrom(...words.map((text) => text.normalize('NFC'))) },
);
const labels = fc.uniqueArray(
  word.filter((text) => text.trim() !== ''),
  { maxLength: 3, selector: (text) => text.toLowerCase().replaceAll('ς', 'σ') },
);
export const numbers = [0, 1, 2, 3, 10, 100, 2147483647, 2147483648, 9007199254740991];
const amount = fc.constantFrom(1, 2, 3, ...numbers);
export const moments = [
  '1969-12-31T23:59:59.999Z',
  '2024-01-01T00:00:00.000Z',
  '2024-01-01T00:00:00.001Z',
  '2024-02-29T12:00:00.000Z',
  '2024-02-29T12:30:00.500Z',
  '2031-12-31T23:59:59.999Z',
];
const moment = fc.constantFrom(...moments);
const nullable = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: null, freq: 2 });
const attributes = fc.oneof(
  fc.constant({}),
  fc.record({ city: fc.oneof(word, amount, fc.constant(null)) }),
  fc.record({ city: word, 'a.b': word, black_or_white: word }),
);

const times = { created_at: moment, updated_at: moment };
const up = (most: number, row: Record<string, fc.Arbitrary<Cell>>, least = 0) =>
  fc
    .array(fc.record({ ...row, ...times }), { minLength: least, maxLength: most })
    .map((rows) => rows.map((cells, at): Row => ({ ...cells, id: at + 1 })));

/** Mostly many, for few rows prove little. */
const several = (most: number, row: Record<string, fc.Arbitrary<Cell>>) =>
  fc.oneof(up(most, row), { weight: 3, arbitrary: up(most, row, Math.floor(most / 2)) });

/** Different where the table wants that, blank ones apart. */
const distinct = (rows: readonly Row[], column: string): readonly Row[] => {
  const seen = new Set<Cell>();
  return rows.map((row) => {
    const cell = row[column] ?? null;
    if (cell === '' || !seen.has(cell)) {
      seen.add(cell);
      return row;
    }
    return { ...row, [column]: '' };
  });
};

const pick = (rows: readonly Row[]) => fc.constantFrom(...rows.map((row) => row['id'] ?? null));

export const worlds: fc.Arbitrary<World> = fc
  .record({
    users: several(4, {
      full_name: word,
      phone: nullable(word),
      language: fc.constantFrom('en', 'pt-BR', 'es', 'de'),
      avatar_url: word,
      job_description: word,
      role: fc.constantFrom('member', 'admin'),
    }),
    contacts: up(
      5,
      {
        full_name: word,
        email: word,
        phone: word,
        app_type: nullable(word),
        app_id: nullable(amount),
        label_list: labels,
        custom_attributes: attributes,
      },
      2,
    ),
    pipelines: up(2, { name: word }, 1),
    stages: up(4, { name: word, rests_after_days: nullable(fc.integer({ min: 1, max: 9 })) }, 2),
    products: several(4, {
      identifier: word,
      name: word,
      description: word,
      amount_in_cents: amount,
      quantity_available: amount,
      custom_attributes: attributes,
    }),
  })
  .chain((base) => {
    const stages = base.stages.map(
      (row, at): Row => ({
        ...row,
        pipeline_id: base.pipelines[at % base.pipelines.length]?.['id'] ?? null,
        position: at + 1,
      }),
    );
    const deal = {
      name: word,
      status: fc.constantFrom('open', 'won', 'lost'),
      contact_id: pick(base.contacts),
      stage_id: pick(stages),
      created_by_id: base.users.length > 0 ? nullable(pick(base.users)) : fc.constant(null),
      lost_reason: word,
      lost_at: nullable(moment),
      won_at: nullable(moment),
      total_deal_products_amount_in_cents: amount,
      custom_attributes: attributes,
    };
    return several(8, deal).chain((plain) => {
      const deals = plain.map((row, at): Row => {
        const stage = stages.find((one) => one['id'] === row['stage_id']);
        const before = plain.slice(0, at).filter((one) => one['stage_id'] === row['stage_id']);
        const position = before.length + 1;
        return { ...row, position, pipeline_id: stage?.['pipeline_id'] ?? null };
      });
      const pairs = (others: readonly Row[]) =>
        deals.length > 0 && others.length > 0
          ? up(5, { deal_id: pick(deals), other_id: pick(others) })
          : fc.constant<readonly Row[]>([]);
      const bought = fc
        .record({
          quantity: fc.constantFrom(1, 2),
          unit_amount_in_cents: fc.constantFrom(0, 1, 2, 10),
          product_name: word,
          product_identifier: word,
        })
        .map((row) => ({
          ...row,
          total_amount_in_cents: row.quantity * row.unit_amount_in_cents,
        }));
      return fc
        .record({
          events:
            deals.length > 0
              ? several(12, { ...event, deal_id: pick(deals) })
              : fc.constant<readonly Row[]>([]),
          assigned: pairs(base.users),
          attached: pairs(base.products),
          details: fc.array(bought, { minLength: 5, maxLength: 5 }),
        })
        .map(({ events, assigned, attached, details }): World => {
          const contacts = distinct(distinct(base.contacts, 'email'), 'phone');
          return {
            ...base,
            contacts,
            stages,
            deals: deals.map((row) => ({ ...row, ...derivedOf(row, events) })),
            events: events.map((row) => {
              const deal = deals.find((one) => one['id'] === row['deal_id']);
              return { ...row, contact_id: deal?.['contact_id'] ?? null };
            }),
            deal_assignees: once(assigned).map((row) => rename(row, 'user_id')),
            deal_products: attached.map((row, at) => ({
              ...rename(row, 'product_id'),
              ...details[at],
            })),
          };
        });
    });
  });

const event = {
  kind: fc.constantFrom('activity', 'activity', 'activity', 'note'),
  scheduled_at: nullable(moment),
  done_at: nullable(moment),
};

/** What follows of a deal from its own moments and from its activities. */
function derivedOf(deal: Row, events: readonly Row[]) {
  const activities = events.filter(
    ({ kind, deal_id }) => kind === 'activity' && deal_id === deal['id'],
  );
  const open = activities.filter(({ done_at }) => done_at === null);
  const inOrder = (rows: readonly Row[], column: string) =>
    rows
      .flatMap((row) => row[column] ?? [])
      .sort((one, other) => (String(one) < String(other) ? -1 : 1));
  return {
    closed_at: deal['won_at'] ?? deal['lost_at'] ?? null,
    last_activity_at: inOrder(activities, 'done_at').at(-1) ?? null,
    next_step_at: inOrder(open, 'scheduled_at')[0] ?? null,
    has_next_step: open.length > 0,
  };
}

function rename({ other_id, ...row }: Row, to: string): Row {
  return { ...row, [to]: other_id ?? null };
}

const once = (rows: readonly Row[]) =>
  rows.filter(
    (row, at) =>
      rows.findIndex(
        (other) => other['deal_id'] === row['deal_id'] && other['other_id'] === row['other_id'],
      ) === at,
  );

const tables: readonly Table[] = [
  'users',
  'contacts',
  'pipelines',
  'stages',
  'products',
  'deals',
  'events',
  'deal_assignees',
  'deal_products',
];

/** Puts a world into an account of its own; the ids are the same in every account. */
export async function load(db: Queryable, accountId: number, world: World): Promise<void> {
  await db.query(sql`INSERT INTO accounts (id, name) VALUES (${accountId}, 'world')`);
  for (const table of tables) {
    for (const row of world[table]) {
      const own =
        table === 'users' ? { email: `${accountId}.${String(row['id'])}@example.com` } : {};
      const cells = Object.entries({ ...ranked(world, table, row), ...own, account_id: accountId });
      const columns = join(cells.map(([column]) => name(column)));
      const values = join(cells.map(([, cell]) => sql`${plain(cell)}`));
      await db.query(sql`INSERT INTO ${name(table)} (${columns}) VALUES (${values})`);
    }
  }
}

/**
 * Half of the stages have ranks that differ from the positions, and half of these have to be counted. Their
 * last piece begins with the fourth deal, or where one is to be appended before that.
 */
function ranked({ deals }: World, table: Table, row: Row): Row {
  const isPieced = (stage: Cell | undefined) => Number(stage) % 2 === 0;
  if (table === 'stages' && isPieced(row['id'])) {
    const count = deals.filter(({ stage_id }) => stage_id === row['id']).length;
    if (count === 0) return row;
    const steps = Number(row['id']) % 4 === 0 ? '{0,1}' : '{0.25,1}';
    const places = `{1,${Math.min(4, count + 1)}}`;
    return { ...row, piece_ranks: '{-1.75,4}', piece_places: places, piece_steps: steps };
  }
  if (table !== 'deals') return row;
  const { position, closed_at, last_activity_at, next_step_at, has_next_step, ...others } = row;
  const place = Number(position);
  if (!isPieced(row['stage_id'])) return { ...others, rank: place };
  const rank = place < 4 ? -1.75 + (place - 1) / 4 : place;
  return { ...others, rank: Math.floor(rank), rank_fraction: rank - Math.floor(rank) };
}

const plain = (cell: Cell) =>
  typeof cell === 'object' && cell !== null && !Array.isArray(cell) ? JSON.stringify(cell) : cell;
