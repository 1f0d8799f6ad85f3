import type { DealGroup } from '../../generated/graphql.ts';
import type { RecordValues } from '../kernel/read/record_result.ts';
import { requireExact } from './query.ts';

/** Records that deals are grouped by. */
type Records = Pick<DealGroup, 'stage' | 'owner' | 'creator' | 'pipeline' | 'product'>;

/** A group as it is answered. */
export type DealGroupRow = Omit<DealGroup, keyof Records> & {
  readonly [Field in keyof Records]: RecordValues | null;
};

/** What a group's deals come to; what nobody asked for is not there. Times are in milliseconds. */
interface Figures {
  readonly count: number;
  readonly sum: number;
  readonly won: number;
  readonly lost: number;
  readonly units?: number;
  /** All times to the end together, and of how many deals. */
  readonly ms?: number;
  readonly timed?: number;
  readonly median?: number | null;
}

/** What it is grouped by, beside its figures. */
export type GroupRow = Partial<DealGroupRow> & Figures;

const days = (ms: number): number => ms / 86_400_000;

/**
 * A row as it is answered. Each field is named, for there may be 10,000 rows: to copy objects whose
 * fields differ takes fifty times as long.
 * @param is_rest whether it is the groups beyond the limit
 * @throws {Fault} VALIDATION_FAILED for a sum that JSON would not carry exactly
 */
export function groupOf(row: GroupRow, is_rest: boolean): DealGroupRow {
  const { count, sum, won, lost, units = 0, ms = 0, timed = 0, median = null } = row;
  requireExact(sum);
  requireExact(units);
  return {
    status: row.status ?? null,
    pipeline_id: row.pipeline_id ?? null,
    pipeline_name: row.pipeline_name ?? null,
    pipeline: row.pipeline ?? null,
    stage_id: row.stage_id ?? null,
    stage_name: row.stage_name ?? null,
    stage: row.stage ?? null,
    owner_id: row.owner_id ?? null,
    owner_name: row.owner_name ?? null,
    owner: row.owner ?? null,
    creator_id: row.creator_id ?? null,
    creator_name: row.creator_name ?? null,
    creator: row.creator ?? null,
    label: row.label ?? null,
    lost_reason: row.lost_reason ?? null,
    product_id: row.product_id ?? null,
    product_name: row.product_name ?? null,
    product: row.product ?? null,
    year: row.year ?? null,
    quarter: row.quarter ?? null,
    month: row.month ?? null,
    week: row.week ?? null,
    day: row.day ?? null,
    is_rest,
    count,
    sum_in_cents: sum,
    average_in_cents: count === 0 ? null : Math.round(sum / count),
    units,
    won_rate: won + lost === 0 ? null : won / (won + lost),
    average_days_to_close: timed === 0 ? null : days(ms / timed),
    median_days_to_close: median === null ? null : days(median),
  };
}
