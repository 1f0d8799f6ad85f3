import { type ChoicesQuery, LiveDashboardDocument } from '../../../generated/console.ts';
import { useLive } from '../../api/use_live.ts';
import { Answer } from '../../components/answer.tsx';
import { FilterSelect } from '../../components/filter_select.tsx';
import { LiveSign } from '../../components/live_sign.tsx';
import { PageHeader } from '../../components/page_header.tsx';
import { useFilters } from '../../components/use_filters.ts';
import { pipelineOptions, useChoices, userOptions } from '../../records/choices.ts';
import { words } from '../../words/words.ts';
import { NoPipeline } from '../board/no_stages.tsx';
import { ClosedByMonth, DaysToClose } from './by_month.tsx';
import { OpenByStage, StageFunnel } from './by_stage.tsx';
import { lastMonths, type Scope } from './period.ts';
import { QuerySwitch } from './query_link.tsx';
import { TopProducts, WonByOwner } from './rankings.tsx';
import { Totals } from './totals.tsx';

/** How sales go. */
export function DashboardPage() {
  const choices = useChoices();
  return (
    <Answer of={choices}>
      {(data) =>
        data.all_pipelines.data.length > 0 ? (
          <Dashboard choices={data} />
        ) : (
          <>
            <PageHeader title={words.value.dashboard.title} />
            <NoPipeline onCreated={choices.reload} />
          </>
        )
      }
    </Answer>
  );
}

function Dashboard({ choices }: { readonly choices: ChoicesQuery }) {
  const { dashboard, records } = words.value;
  const pipelines = pipelineOptions(choices);
  const [filters, change] = useFilters({
    months: '12',
    pipeline: pipelines[0]?.value ?? '',
    owner: '',
  });
  const pipeline = Number(filters.pipeline);
  const query = { pipeline_id_eq: filters.pipeline, users_id_eq: filters.owner };
  const period = lastMonths(Number(filters.months) || 12);
  const { data, isLost } = useLive(LiveDashboardDocument, {
    pipeline_id: pipeline,
    all: query,
    open: { ...query, status_eq: 'open' },
    won: { ...query, status_eq: 'won' },
    closed: { ...query, status_in: ['won', 'lost'] },
    ...period,
  });
  const scope: Scope = { pipeline, query, period, live: data?.dashboard };
  const months = [3, 6, 12, 24].map((count) => ({
    value: String(count),
    text: dashboard.months(count),
  }));
  return (
    <>
      <PageHeader title={dashboard.title} />
      <div class="filters">
        <FilterSelect
          filters={filters}
          change={change}
          name="months"
          label={dashboard.period}
          options={months}
        />
        <FilterSelect
          filters={filters}
          change={change}
          name="pipeline"
          label={records.pipeline}
          options={pipelines}
        />
        <FilterSelect
          filters={filters}
          change={change}
          name="owner"
          label={records.owner}
          options={[{ value: '', text: records.anybody }, ...userOptions(choices)]}
        />
      </div>
      <LiveSign isLost={isLost} />
      <Totals {...scope}>
        <div class="figures">
          <OpenByStage {...scope} />
          <ClosedByMonth {...scope} />
          <StageFunnel {...scope} />
          <TopProducts {...scope} />
          <WonByOwner {...scope} />
          <DaysToClose {...scope} />
        </div>
        <QuerySwitch />
      </Totals>
    </>
  );
}
