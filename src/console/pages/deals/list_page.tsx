import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { DealsDocument, type DealsQuery, UpdateDealDocument } from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { useAnswer } from '../../api/use_answer.ts';
import { Button } from '../../components/button.tsx';
import { InPlace } from '../../components/in_place.tsx';
import { Listing } from '../../components/listing.tsx';
import { LiveSign } from '../../components/live_sign.tsx';
import { NarrowMenu } from '../../components/narrow_menu.tsx';
import { PageHeader } from '../../components/page_header.tsx';
import type { Option } from '../../components/select.tsx';
import type { Column } from '../../components/table.tsx';
import { useFilters } from '../../components/use_filters.ts';
import { useSelection } from '../../components/use_selection.ts';
import { DotLink, stepText } from '../../records/activities/dot.tsx';
import { DealsBar } from '../../records/bulk/deals_bar.tsx';
import { useBulkReload } from '../../records/bulk/use_bulk_reload.ts';
import { stageOptions, useChoices } from '../../records/choices.ts';
import { columnsOf } from '../../records/columns/columns.ts';
import { ColumnsButton } from '../../records/columns/columns_button.tsx';
import { contactName } from '../../records/contact_name.ts';
import { dealQuery, noDealFilter } from '../../records/deal_query.ts';
import { ExportLink, SheetButton } from '../../records/export_link.tsx';
import { FirstStep } from '../../records/first_step.tsx';
import { People } from '../../records/people.tsx';
import { StatusBadge } from '../../records/status.tsx';
import { useFollow } from '../../records/use_follow.ts';
import { Views } from '../../records/views/views.tsx';
import { formatDay, formatMoney } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { DealFilters } from './filters.tsx';
import { NewDeal } from './new_deal.tsx';

type Row = DealsQuery['list']['data'][number];

const defaults = { ...noDealFilter, sort: 'created_at desc', columns: '' };

/** The deals of all pipelines. */
export function DealsPage() {
  const { deals: texts } = words.value;
  const [filters, change] = useFilters({ ...defaults, page: '1' }, true);
  const [isCreating, setCreating] = useState(false);
  const conditions = dealQuery(filters);
  const query = { ...conditions, s: filters.sort };
  const selection = useSelection(JSON.stringify(conditions));
  const { data: choices } = useChoices();
  const stages = choices ? stageOptions(choices) : [];
  const all = columns(stages, () => answer.reload());
  const { shown, chosen, extras } = columnsOf(all, filters.columns);
  const answer = useAnswer(DealsDocument, {
    query,
    page: Number(filters.page) || 1,
    extras,
  });
  useBulkReload(answer.reload);
  const isLost = useFollow('DEALS', conditions, answer.reload);
  const create = (
    <Button kind="primary" icon="add" onClick={() => setCreating(true)}>
      {texts.create}
    </Button>
  );
  return (
    <>
      <PageHeader title={texts.title}>
        <NarrowMenu>
          <ColumnsButton list="deals" all={all} filters={filters} change={change} />
          <SheetButton records="deals" query={query} columns={chosen} />
          <ExportLink records="deals" query={query} />
        </NarrowMenu>
        {create}
      </PageHeader>
      <DealFilters choices={choices} filters={filters} change={change} />
      <Views list="deals" filters={filters} defaults={defaults} query={query} />
      <LiveSign isLost={isLost} />
      <Listing
        of={answer}
        caption={texts.title}
        columns={shown}
        filters={filters}
        change={change}
        none={noDealFilter}
        bulk={{
          selection,
          nameOf: ({ name }) => name || words.value.records.untitled,
          bar: (rows, count) => (
            <DealsBar
              choices={choices}
              selection={selection}
              query={conditions}
              count={count}
              shown={rows.length}
            />
          ),
        }}
        empty={<FirstStep title={texts.none} why={texts.whyNone} create={create} />}
      />
      {isCreating && <NewDeal onClose={() => setCreating(false)} />}
    </>
  );
}

function columns(stages: readonly Option[], reload: () => Promise<void>): readonly Column<Row>[] {
  const { activities, contacts, deals: texts, fields, records } = words.value;
  return [
    {
      key: 'name',
      title: records.name,
      sort: 'name',
      cell: ({ id, name, status, next }) => (
        <DotLink next={status === 'open' ? next : undefined} href={`/deals/${id}`}>
          {name || records.untitled}
        </DotLink>
      ),
    },
    {
      key: 'contact',
      title: texts.contact,
      sort: 'contact_full_name',
      cell: ({ contact }) => <Link href={`/contacts/${contact.id}`}>{contactName(contact)}</Link>,
    },
    {
      key: 'status',
      kind: 'short',
      title: records.status,
      sort: 'status',
      cell: ({ status }) => <StatusBadge status={status} />,
    },
    {
      key: 'stage',
      kind: 'short',
      title: records.stage,
      sort: 'stage_name',
      cell: ({ id, name, version, stage, stage_id }) => (
        <InPlace
          name="stage_id"
          label={`${records.stage}, ${name || records.untitled}`}
          value={String(stage_id)}
          options={stages}
          version={version}
          reload={reload}
          save={async (value, known) => {
            const input = { stage_id: Number(value) };
            await ask(UpdateDealDocument, { id, input, version: known });
            await reload();
          }}
        >
          {stage.name}
        </InPlace>
      ),
    },
    {
      key: 'owner',
      title: records.owner,
      cell: ({ deal_assignees, deal_assignees_count }) => (
        <People assignees={deal_assignees} count={deal_assignees_count} />
      ),
    },
    {
      key: 'amount',
      title: texts.amount,
      kind: 'number',
      sort: 'total_deal_products_amount_in_cents',
      cell: (deal) => formatMoney(deal.total_deal_products_amount_in_cents),
    },
    {
      key: 'created',
      kind: 'short',
      title: records.created,
      sort: 'created_at',
      cell: ({ created_at }) => formatDay(created_at),
    },
    {
      key: 'updated',
      kind: 'short',
      title: fields.updated,
      sort: 'updated_at',
      isExtra: true,
      cell: ({ updated_at }) => updated_at && formatDay(updated_at),
    },
    {
      key: 'pipeline',
      title: records.pipeline,
      sort: 'pipeline_name',
      isExtra: true,
      cell: ({ pipeline }) => pipeline?.name,
    },
    {
      key: 'email',
      title: contacts.email,
      sort: 'contact_email',
      isExtra: true,
      cell: ({ contact }) => contact.email,
    },
    {
      key: 'phone',
      kind: 'short',
      title: contacts.phone,
      isExtra: true,
      cell: ({ contact }) => contact.phone,
    },
    {
      key: 'won',
      kind: 'short',
      title: texts.wonOn,
      sort: 'won_at',
      isExtra: true,
      cell: ({ won_at }) => won_at && formatDay(won_at),
    },
    {
      key: 'lost',
      kind: 'short',
      title: texts.lostOn,
      sort: 'lost_at',
      isExtra: true,
      cell: ({ lost_at }) => lost_at && formatDay(lost_at),
    },
    {
      key: 'reason',
      title: texts.lostReason,
      sort: 'lost_reason',
      isExtra: true,
      cell: ({ lost_reason }) => lost_reason,
    },
    {
      key: 'activity',
      kind: 'short',
      title: activities.last,
      sort: 'last_activity_at',
      isExtra: true,
      cell: ({ last_activity_at }) => last_activity_at && formatDay(last_activity_at),
    },
    {
      key: 'step',
      title: activities.nextStep,
      sort: 'next_step_at',
      isExtra: true,
      cell: ({ next: [step] }) => step && stepText(step, formatDay),
    },
  ];
}
