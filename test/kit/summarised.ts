/**
 * What `deals_summary` must answer, found another way: over the rows of the account, one by one, with
 * the clocks of Intl.
 */
import type { World } from './world.ts';

export const periods = ['YEAR', 'QUARTER', 'MONTH', 'WEEK', 'DAY'] as const;
export const groupings = [
  ...(['STATUS', 'PIPELINE', 'STAGE', 'OWNER', 'CREATOR', 'LABEL', 'LOST_REASON'] as const),
  ...(['PRODUCT', ...periods] as const),
];
export type Period = (typeof periods)[number];
export type GroupingName = (typeof groupings)[number];
export const moments = ['created_at', 'won_at', 'lost_at', 'closed_at'] as const;

export interface Summary {
  readonly group_by?: readonly GroupingName[] | undefined;
  readonly on?: (typeof moments)[number] | undefined;
  readonly time_zone?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly fill?: boolean | undefined;
  readonly sort?: Figure | undefined;
  readonly ascending?: boolean | undefined;
  readonly limit?: number | undefined;
}

export const figures = [
  'count',
  'sum_in_cents',
  'average_in_cents',
  'units',
  'won_rate',
  'average_days_to_close',
  'median_days_to_close',
] as const;
export type Figure = (typeof figures)[number];

type Key = string | number | null;

interface Bought {
  readonly product_id: number;
  readonly units: number;
  readonly amount: number;
}

export interface DealRow {
  readonly status: string;
  readonly pipeline_id: number;
  readonly stage_id: number;
  readonly stage_position: number;
  readonly created_by_id: number | null;
  readonly lost_reason: string;
  readonly created_at: string;
  readonly won_at: string | null;
  readonly lost_at: string | null;
  readonly total: number;
  readonly labels: readonly string[];
  readonly owners: readonly number[];
  readonly bought: readonly Bought[];
}

/** Every deal of an account, with what belongs to it. */
export async function dealRows({ service, accountId }: World): Promise<readonly DealRow[]> {
  const rows = await service.database.query<{ deal: string }>(
    `SELECT json_build_object('status', status, 'pipeline_id', d.pipeline_id, 'stage_id', stage_id,
       'stage_position', s.position, 'created_by_id', created_by_id, 'lost_reason', lost_reason,
       'created_at', d.created_at, 'won_at', won_at, 'lost_at', lost_at,
       'total', total_deal_products_amount_in_cents, 'labels', c.label_list,
       'owners', ARRAY(SELECT user_id FROM deal_assignees a WHERE a.account_id = $1 AND a.deal_id = d.id),
       'bought', (SELECT coalesce(json_agg(json_build_object('product_id', product_id,
         'units', quantity, 'amount', total_amount_in_cents)), '[]') FROM deal_products p WHERE p.account_id = $1 AND p.deal_id = d.id)
     )::text AS deal
     FROM deals d JOIN contacts c ON c.account_id = $1 AND c.id = d.contact_id JOIN stages s ON s.account_id = $1 AND s.id = d.stage_id
     WHERE d.account_id = $1`,
    [accountId],
  );
  return rows.map(({ deal }): DealRow => JSON.parse(deal));
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** The day that clocks of a zone show. */
export function dayOf(moment: string, zone: string): string {
  const format =
    formats.get(zone) ?? new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' });
  formats.set(zone, format);
  return format.format(new Date(moment));
}

const dayMs = 86_400_000;
const utc = (day: string) => new Date(`${day}T00:00:00Z`);
const written = (date: Date) => date.toISOString().slice(0, 10);

function weekOf(day: string): string {
  // The week is that of its Thursday.
  const date = utc(day);
  const thursday = new Date(date.getTime() + (3 - ((date.getUTCDay() + 6) % 7)) * dayMs);
  const first = Date.UTC(thursday.getUTCFullYear(), 0, 1);
  const week = 1 + Math.floor((thursday.getTime() - first) / dayMs / 7);
  return `${thursday.getUTCFullYear()}-W${String(week).padStart(2, '0')}`;
}

const periodOf: Readonly<Record<Period, (day: string) => string>> = {
  YEAR: (day) => day.slice(0, 4),
  QUARTER: (day) => `${day.slice(0, 4)}-Q${Math.ceil(Number(day.slice(5, 7)) / 3)}`,
  MONTH: (day) => day.slice(0, 7),
  WEEK: weekOf,
  DAY: (day) => day,
};

const isPeriod = (name: GroupingName): name is Period => periods.some((period) => period === name);

/** The fields of a group that show a grouping. */
export const keyField = (name: GroupingName): string =>
  ['PIPELINE', 'STAGE', 'OWNER', 'CREATOR', 'PRODUCT'].includes(name)
    ? `${name.toLowerCase()}_id`
    : name.toLowerCase();

const closedAt = (deal: DealRow) => deal.won_at ?? deal.lost_at;
const momentOf = (deal: DealRow, on: Summary['on'] = 'created_at') =>
  on === 'closed_at' ? closedAt(deal) : deal[on];

const orNull = <T>(list: readonly T[]): readonly (T | null)[] => (list.length > 0 ? list : [null]);

/** The groups of a deal, by one grouping. */
function keysOf(deal: DealRow, by: GroupingName, day: string): readonly Key[] {
  if (isPeriod(by)) return [periodOf[by](day)];
  const keys = {
    STATUS: () => [deal.status],
    PIPELINE: () => [deal.pipeline_id],
    STAGE: () => [deal.stage_id],
    OWNER: () => orNull(deal.owners),
    CREATOR: () => [deal.created_by_id],
    LABEL: () => orNull(deal.labels),
    LOST_REASON: () => [[...deal.lost_reason].slice(0, 255).join('')],
    PRODUCT: () => orNull([...new Set(deal.bought.map(({ product_id }) => product_id))]),
  };
  return keys[by]();
}

interface Share {
  readonly deal: DealRow;
  readonly amount: number;
  readonly units: number;
}

const total = (list: readonly number[]) => list.reduce((sum, one) => sum + one, 0);

export function medianOf(list: readonly number[]): number | null {
  const sorted = [...list].sort((a, b) => a - b);
  const at = (sorted.length - 1) / 2;
  const [low, high] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}

export type Group = Readonly<Record<string, Key | boolean>>;

export const rounded = (days: unknown) =>
  typeof days === 'number' ? Math.round(days * 1e6) / 1e6 : null;

function figuresOf(shares: readonly Share[]): Readonly<Record<Figure, number | null>> {
  const sum = total(shares.map(({ amount }) => amount));
  const won = shares.filter(({ deal }) => deal.status === 'won').length;
  const lost = shares.filter(({ deal }) => deal.status === 'lost').length;
  const days = shares.flatMap(({ deal }) => {
    const end = closedAt(deal);
    const ms = end === null ? -1 : Date.parse(end) - Date.parse(deal.created_at);
    return ms < 0 ? [] : [ms / dayMs];
  });
  return {
    count: shares.length,
    sum_in_cents: sum,
    average_in_cents: shares.length === 0 ? null : Math.round(sum / shares.length),
    units: total(shares.map(({ units }) => units)),
    won_rate: won + lost === 0 ? null : won / (won + lost),
    average_days_to_close: days.length === 0 ? null : rounded(total(days) / days.length),
    median_days_to_close: rounded(medianOf(days)),
  };
}

/** Each combination of one of each list. */
const product = (lists: readonly (readonly Key[])[]): readonly (readonly Key[])[] =>
  lists.reduce<readonly (readonly Key[])[]>(
    (all, list) => all.flatMap((keys) => list.map((key) => [...keys, key])),
    [[]],
  );

/** Every day of a span, and every deal of it once for each group that it is in. */
function sharesOf(rows: readonly DealRow[], summary: Summary, zone: string) {
  const { group_by: by = [], on, from, to } = summary;
  const isDated = by.some(isPeriod) || from !== undefined || to !== undefined;
  const groups = new Map<string, { keys: readonly Key[]; shares: Share[] }>();
  for (const deal of rows) {
    const moment = momentOf(deal, on);
    if (isDated && moment === null) continue;
    const day = dayOf(moment ?? deal.created_at, zone);
    if (isDated && ((from && day < from) || (to && day > to))) continue;
    for (const keys of product(by.map((name) => keysOf(deal, name, day)))) {
      const id = JSON.stringify(keys);
      const group = groups.get(id) ?? { keys, shares: [] };
      groups.set(id, group);
      const bought = deal.bought.filter(
        ({ product_id }) => !by.includes('PRODUCT') || keys[by.indexOf('PRODUCT')] === product_id,
      );
      group.shares.push({
        deal,
        units: total(bought.map(({ units }) => units)),
        amount: by.includes('PRODUCT') ? total(bought.map(({ amount }) => amount)) : deal.total,
      });
    }
  }
  if (by.length === 0 && groups.size === 0) groups.set('[]', { keys: [], shares: [] });
  return groups;
}

function fill(groups: ReturnType<typeof sharesOf>, summary: Summary): void {
  const { group_by: by = [], from, to } = summary;
  const at = by.findIndex(isPeriod);
  const period = by[at];
  if (!period || !isPeriod(period)) throw new Error('there is nothing to fill');
  const found = [...groups.values()].map(({ keys }) => String(keys[at])).sort();
  const wanted = new Set<string>();
  for (let date = utc(from ?? '2015-01-01'); written(date) <= (to ?? '2027-12-31'); ) {
    const one = periodOf[period](written(date));
    const [first = '', last = ''] = [found[0], found.at(-1)];
    if ((from || one >= first) && (to || one <= last)) wanted.add(one);
    date = new Date(date.getTime() + dayMs);
  }
  const others = [...groups.values()].map(({ keys }) => keys.toSpliced(at, 1));
  const kinds = by.length === 1 ? [[]] : others;
  for (const kind of kinds) {
    for (const one of wanted) {
      const keys = kind.toSpliced(at, 0, one);
      const id = JSON.stringify(keys);
      if (!groups.has(id)) groups.set(id, { keys, shares: [] });
    }
  }
}

/** Numbers and texts by their order, null last. */
function compare(a: Key | undefined, b: Key | undefined): number {
  if (a === b) return 0;
  if (a === null || a === undefined) return 1;
  if (b === null || b === undefined) return -1;
  return a < b ? -1 : 1;
}

/** @param zone of the account */
export function summarised(
  rows: readonly DealRow[],
  summary: Summary,
  zone = 'UTC',
): readonly Group[] {
  const { group_by: by = [], time_zone, sort, ascending = false, limit } = summary;
  const groups = sharesOf(rows, summary, time_zone ?? zone);
  if (summary.fill) fill(groups, summary);
  const stages = new Map(
    rows.map((deal) => [deal.stage_id, deal.pipeline_id * 1000 + deal.stage_position]),
  );
  const place = (name: GroupingName, key: Key | undefined): Key | undefined => {
    if (name === 'STATUS') return ['open', 'won', 'lost'].indexOf(String(key));
    return name === 'STAGE' ? (stages.get(Number(key)) ?? null) : key;
  };
  const all = [...groups.values()].map((group) => ({ ...group, figures: figuresOf(group.shares) }));
  all.sort((a, b) => {
    const [x, y] = sort ? [a.figures[sort], b.figures[sort]] : [0, 0];
    const [nulls, order] = [x === null || y === null, compare(x, y)];
    if (order !== 0) return nulls || ascending ? order : -order;
    const differing = by.findIndex((name, n) =>
      compare(place(name, a.keys[n]), place(name, b.keys[n])),
    );
    const name = by[differing];
    return name ? compare(place(name, a.keys[differing]), place(name, b.keys[differing])) : 0;
  });
  const shown = all.slice(0, limit).map(
    ({ keys, figures: of }): Group => ({
      ...Object.fromEntries(by.map((name, n) => [keyField(name), keys[n] ?? null])),
      is_rest: false,
      ...of,
    }),
  );
  const others = limit === undefined ? [] : all.slice(limit);
  if (others.length === 0) return shown;
  return [
    ...shown,
    {
      ...Object.fromEntries(by.map((name) => [keyField(name), null])),
      is_rest: true,
      ...figuresOf(others.flatMap(({ shares }) => shares)),
    },
  ];
}
