import {
  ClosedByMonthDocument,
  type ClosedByMonthQuery,
  DaysToCloseDocument,
} from '../../../generated/console.ts';
import { Months } from '../../components/charts/months.tsx';
import {
  formatDays,
  formatMoney,
  formatMonth,
  formatNumber,
  formatPercent,
} from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { Figure } from './figure.tsx';
import type { Scope } from './period.ts';

/** What was won and lost, month by month. */
export function ClosedByMonth({ query, period, live }: Scope) {
  const { dashboard: texts, records } = words.value;
  const rate = ({ won, lost }: ClosedMonth) => {
    const percent = Math.round((100 * won.count) / (won.count + lost.count));
    return Number.isNaN(percent) ? '–' : formatPercent(percent / 100);
  };
  return (
    <Figure
      title={texts.closedByMonth}
      about={texts.aboutClosed}
      document={ClosedByMonthDocument}
      given={{ query: { ...query, status_in: ['won', 'lost'] }, ...period }}
      live={live && { deals_summary: live.by_month }}
      rowsOf={closedMonths}
      chart={(rows) => (
        <Months
          series={[records.statuses.won, records.statuses.lost]}
          months={rows.map((row) => ({
            month: row.month,
            values: [row.won.sum_in_cents, row.lost.sum_in_cents],
            text: rate(row),
          }))}
        />
      )}
      columns={[
        { title: texts.month, cell: ({ month }) => formatMonth(month) },
        { title: records.statuses.won, cell: ({ won }) => formatNumber(won.count), kind: 'number' },
        {
          title: texts.wonAmount,
          cell: ({ won }) => formatMoney(won.sum_in_cents),
          kind: 'number',
        },
        {
          title: records.statuses.lost,
          cell: ({ lost }) => formatNumber(lost.count),
          kind: 'number',
        },
        {
          title: texts.lostAmount,
          cell: ({ lost }) => formatMoney(lost.sum_in_cents),
          kind: 'number',
        },
        { title: texts.wonRate, cell: rate, kind: 'number' },
      ]}
    />
  );
}

type Group = ClosedByMonthQuery['deals_summary'][number];

interface ClosedMonth {
  readonly month: string;
  readonly won: Pick<Group, 'count' | 'sum_in_cents'>;
  readonly lost: Pick<Group, 'count' | 'sum_in_cents'>;
}

/** Months in order, each with both outcomes. */
function closedMonths({ deals_summary: groups }: ClosedByMonthQuery): readonly ClosedMonth[] {
  const months = [...new Set(groups.map(({ month }) => month ?? ''))];
  const none = { count: 0, sum_in_cents: 0 };
  const find = (month: string, status: string) =>
    groups.find((group) => group.month === month && group.status === status) ?? none;
  return months.map((month) => ({
    month,
    won: find(month, 'won'),
    lost: find(month, 'lost'),
  }));
}

/** How long deals took that were won, month by month. */
export function DaysToClose({ query, period, live }: Scope) {
  const { dashboard: texts, deals } = words.value;
  return (
    <Figure
      title={texts.daysToClose}
      about={texts.aboutDays}
      document={DaysToCloseDocument}
      given={{ query: { ...query, status_eq: 'won' }, ...period }}
      live={live && { deals_summary: live.days }}
      rowsOf={({ deals_summary: months }) =>
        months.some((month) => typeof month.median_days_to_close === 'number') ? months : []
      }
      chart={(rows) => (
        <Months
          series={[texts.medianDays]}
          months={rows.map(({ month, median_days_to_close: median }) => ({
            month: month ?? '',
            values: [median ?? 0],
            text: formatDays(median),
          }))}
        />
      )}
      columns={[
        { title: texts.month, cell: ({ month }) => formatMonth(month ?? '') },
        { title: deals.title, cell: ({ count }) => formatNumber(count), kind: 'number' },
        {
          title: texts.medianDays,
          cell: (row) => formatDays(row.median_days_to_close),
          kind: 'number',
        },
        {
          title: texts.averageDays,
          cell: (row) => formatDays(row.average_days_to_close),
          kind: 'number',
        },
      ]}
    />
  );
}
