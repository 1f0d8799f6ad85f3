import { FunnelDocument, OpenByStageDocument } from '../../../generated/console.ts';
import { Bars } from '../../components/charts/bars.tsx';
import {
  formatDays,
  formatMoney,
  formatMoneyShort,
  formatNumber,
  formatPercent,
} from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { Figure } from './figure.tsx';

import type { Scope } from './period.ts';

/** What is open now, where it stands, and what may come of it. */
export function OpenByStage({ pipeline, query, live }: Scope) {
  const { dashboard: texts, deals, records } = words.value;
  return (
    <Figure
      title={texts.openByStage}
      about={texts.aboutOpen}
      document={OpenByStageDocument}
      given={{ pipeline_id: pipeline, query }}
      live={live}
      rowsOf={(data) => data.pipeline_forecast}
      chart={(rows) => (
        <Bars
          bars={rows.map(({ stage_id, stage_name, sum_in_cents, expected_in_cents }) => ({
            key: stage_id,
            label: stage_name,
            value: sum_in_cents,
            text:
              typeof expected_in_cents === 'number' && sum_in_cents > 0
                ? texts.expectedOf(
                    formatMoneyShort(sum_in_cents),
                    formatMoneyShort(expected_in_cents),
                  )
                : formatMoneyShort(sum_in_cents),
          }))}
        />
      )}
      columns={[
        { title: records.stage, cell: (row) => row.stage_name },
        { title: deals.title, cell: (row) => formatNumber(row.open), kind: 'number' },
        { title: deals.amount, cell: (row) => formatMoney(row.sum_in_cents), kind: 'number' },
        {
          title: texts.expected,
          cell: (row) =>
            typeof row.expected_in_cents === 'number' ? formatMoney(row.expected_in_cents) : '–',
          kind: 'number',
        },
      ]}
    />
  );
}

/** How far deals came, stage by stage. */
export function StageFunnel({ pipeline, query, period, live }: Scope) {
  const { dashboard: texts, records } = words.value;
  const share = (part: number, of: number) => (of > 0 ? formatPercent(part / of) : '–');
  return (
    <Figure
      title={texts.funnel}
      about={texts.aboutFunnel}
      document={FunnelDocument}
      given={{ pipeline_id: pipeline, query, ...period }}
      live={live}
      rowsOf={(data) => data.pipeline_funnel}
      chart={(rows) => (
        <Bars
          bars={rows.map(({ stage_id, stage_name, reached, went_on }) => ({
            key: stage_id,
            label: stage_name,
            value: reached,
            // Nothing comes after the last stage.
            text:
              reached === 0 || stage_id === rows.at(-1)?.stage_id
                ? formatNumber(reached)
                : texts.wentOnOf(formatNumber(reached), share(went_on, reached)),
          }))}
        />
      )}
      columns={[
        { title: records.stage, cell: (row) => row.stage_name },
        { title: texts.reached, cell: (row) => formatNumber(row.reached), kind: 'number' },
        { title: texts.wentOn, cell: (row) => formatNumber(row.went_on), kind: 'number' },
        { title: records.statuses.won, cell: (row) => formatNumber(row.won), kind: 'number' },
        { title: records.statuses.lost, cell: (row) => formatNumber(row.lost), kind: 'number' },
        { title: texts.medianDays, cell: (row) => formatDays(row.median_days), kind: 'number' },
      ]}
    />
  );
}
