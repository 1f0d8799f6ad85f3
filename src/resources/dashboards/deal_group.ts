import type { DealGroup } from '../../generated/graphql.ts';
import { requireExact } from './query.ts';

/** What a group's deals come to; what nobody asked for is not there. Times are in milliseconds. */
export interface Figures {
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
export type GroupRow = Partial<DealGroup> & Figures;

const ungrouped = {
  status: null,
  pipeline_id: null,
  pipeline_name: null,
  stage_id: null,
  stage_name: null,
  owner_id: null,
  owner_name: null,
  creator_id: null,
  creator_name: null,
  label: null,
  lost_reason: null,
  product_id: null,
  product_name: null,
  year: null,
  quarter: null,
  month: null,
  week: null,
  day: null,
};

const days = (ms: number): number => ms / 86_400_000;

/** @throws {Fault} VALIDATION_FAILED for a sum that JSON would not carry exactly */
export function groupOf({
  sum,
  won,
  lost,
  units = 0,
  ms = 0,
  timed = 0,
  median = null,
  ...row
}: GroupRow): DealGroup {
  requireExact(sum);
  requireExact(units);
  return {
    ...ungrouped,
    ...row,
    is_rest: false,
    sum_in_cents: sum,
    average_in_cents: row.count === 0 ? null : Math.round(sum / row.count),
    units,
    won_rate: won + lost === 0 ? null : won / (won + lost),
    average_days_to_close: timed === 0 ? null : days(ms / timed),
    median_days_to_close: median === null ? null : days(median),
  };
}

/** The groups beyond the limit as one. */
export const restOf = (figures: Figures): DealGroup => ({ ...groupOf(figures), is_rest: true });
