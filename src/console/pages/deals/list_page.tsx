import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { DealsDocument, type DealsQuery } from '../../../generated/console.ts';
import { useAnswer } from '../../api/use_answer.ts';
import { Button } from '../../components/button.tsx';
import { Listing } from '../../components/listing.tsx';
import { PageHeader } from '../../components/page_header.tsx';
import type { Column } from '../../components/table.tsx';
import { useFilters } from '../../components/use_filters.ts';
import { contactName } from '../../records/contact_name.ts';
import { dealQuery, noDealFilter } from '../../records/deal_query.ts';
import { ExportLink } from '../../records/export_link.tsx';
import { FirstStep } from '../../records/first_step.tsx';
import { People } from '../../records/people.tsx';
import { StatusBadge } from '../../records/status.tsx';
import { formatDay, formatMoney } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { DealFilters } from './filters.tsx';
import { NewDeal } from './new_deal.tsx';

type Row = DealsQuery['list']['data'][number];

/** The deals of all pipelines. */
export function DealsPage() {
  const { deals: texts } = words.value;
  const [filters, change] = useFilters({ ...noDealFilter, sort: 'created_at desc', page: '1' });
  const [isCreating, setCreating] = useState(false);
  const query = { ...dealQuery(filters), s: filters.sort };
  const answer = useAnswer(DealsDocument, { query, page: Number(filters.page) || 1 });
  const create = (
    <Button kind="primary" icon="add" onClick={() => setCreating(true)}>
      {texts.create}
    </Button>
  );
  return (
    <>
      <PageHeader title={texts.title}>
        <ExportLink records="deals" query={query} />
        {create}
      </PageHeader>
      <DealFilters filters={filters} change={change} />
      <Listing
        of={answer}
        caption={texts.title}
        columns={columns()}
        filters={filters}
        change={change}
        none={noDealFilter}
        empty={<FirstStep title={texts.none} why={texts.whyNone} create={create} />}
      />
      {isCreating && <NewDeal onClose={() => setCreating(false)} />}
    </>
  );
}

function columns(): readonly Column<Row>[] {
  const { deals: texts, records } = words.value;
  return [
    {
      key: 'name',
      title: records.name,
      sort: 'name',
      cell: ({ id, name }) => <Link href={`/deals/${id}`}>{name || records.untitled}</Link>,
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
    { key: 'stage', title: records.stage, sort: 'stage_name', cell: ({ stage }) => stage.name },
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
  ];
}
