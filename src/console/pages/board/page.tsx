import { Link } from 'wouter-preact';
import type { ChoicesQuery } from '../../../generated/console.ts';
import { isAdmin } from '../../api/who.ts';
import { Answer } from '../../components/answer.tsx';
import { Empty } from '../../components/empty.tsx';
import { FilterSelect } from '../../components/filter_select.tsx';
import { PageHeader } from '../../components/page_header.tsx';
import { SearchField } from '../../components/search_field.tsx';
import { useFilters } from '../../components/use_filters.ts';
import { pipelineOptions, useChoices, userOptions } from '../../records/choices.ts';
import { noDealFilter } from '../../records/deal_query.ts';
import { statusOptions } from '../../records/status.tsx';
import { words } from '../../words/words.ts';
import { Columns } from './columns.tsx';

/** The deals of a pipeline, stage by stage. */
export function BoardPage() {
  const choices = useChoices();
  return (
    <Answer of={choices}>
      {(data) => (data.all_pipelines.data.length > 0 ? <Board choices={data} /> : <NoPipeline />)}
    </Answer>
  );
}

function Board({ choices }: { readonly choices: ChoicesQuery }) {
  const { board, records } = words.value;
  const [first] = choices.all_pipelines.data;
  const [filters, change] = useFilters({
    pipeline: String(first?.id),
    status: 'open',
    owner: '',
    text: '',
  });
  const everything = { value: 'all', text: records.all };
  const anybody = { value: '', text: records.anybody };
  return (
    <div class="board-page">
      <PageHeader title={board.title} />
      <div class="filters">
        <FilterSelect
          filters={filters}
          change={change}
          name="pipeline"
          label={records.pipeline}
          options={pipelineOptions(choices)}
        />
        <FilterSelect
          filters={filters}
          change={change}
          name="status"
          label={records.status}
          options={[...statusOptions(), everything]}
        />
        <FilterSelect
          filters={filters}
          change={change}
          name="owner"
          label={records.owner}
          options={[anybody, ...userOptions(choices)]}
        />
        <SearchField label={records.search} filters={filters} change={change} />
      </div>
      <Columns
        pipeline={Number(filters.pipeline)}
        filter={{
          ...noDealFilter,
          text: filters.text,
          status: filters.status === 'all' ? '' : filters.status,
          owner: filters.owner,
        }}
      />
    </div>
  );
}

function NoPipeline() {
  const { board } = words.value;
  return (
    <Empty
      title={board.noPipeline}
      action={isAdmin.value && <Link href="/pipelines">{board.createPipeline}</Link>}
    >
      {isAdmin.value ? board.whyPipeline : board.askForPipeline}
    </Empty>
  );
}
