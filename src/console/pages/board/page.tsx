import { useState } from 'preact/hooks';
import type { ChoicesQuery } from '../../../generated/console.ts';
import { Answer } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { FilterSelect } from '../../components/filter_select.tsx';
import { PageHeader } from '../../components/page_header.tsx';
import { SearchField } from '../../components/search_field.tsx';
import { useFilters } from '../../components/use_filters.ts';
import { ownerOptions, pipelineOptions, useChoices } from '../../records/choices.ts';
import { noDealFilter } from '../../records/deal_query.ts';
import { statusOptions } from '../../records/status.tsx';
import { words } from '../../words/words.ts';
import { NewDeal } from '../deals/new_deal.tsx';
import { Columns } from './columns.tsx';
import { NoPipeline } from './no_stages.tsx';

/** The deals of a pipeline, stage by stage. */
export function BoardPage() {
  const choices = useChoices();
  return (
    <Answer of={choices}>
      {(data) =>
        data.all_pipelines.data.length > 0 ? (
          <Board choices={data} />
        ) : (
          <>
            <PageHeader title={words.value.board.title} />
            <NoPipeline onCreated={choices.reload} />
          </>
        )
      }
    </Answer>
  );
}

function Board({ choices }: { readonly choices: ChoicesQuery }) {
  const { board, deals, records } = words.value;
  /** The stage of the deal that is being created; '' where it is yet to be chosen. */
  const [creating, createIn] = useState<string>();
  const [first] = choices.all_pipelines.data;
  const [kept, change] = useFilters(
    { pipeline: String(first?.id), status: 'open', owner: '', text: '' },
    true,
  );
  // The pipeline of the last time may be gone by now.
  const isThere = choices.all_pipelines.data.some(({ id }) => String(id) === kept.pipeline);
  const filters = isThere ? kept : { ...kept, pipeline: String(first?.id) };
  const everything = { value: 'all', text: records.all };
  const create = (
    <Button kind="primary" icon="add" onClick={() => createIn('')}>
      {deals.create}
    </Button>
  );
  return (
    <div class="board-page">
      <PageHeader title={board.title}>{create}</PageHeader>
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
          options={ownerOptions(choices)}
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
        create={create}
        createIn={(stageId) => createIn(String(stageId))}
      />
      {creating !== undefined && (
        <NewDeal
          pipeline={filters.pipeline}
          {...(creating !== '' && { stage: creating })}
          onClose={() => createIn(undefined)}
        />
      )}
    </div>
  );
}
