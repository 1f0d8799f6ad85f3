import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import {
  ContactsDocument,
  type ContactsQuery,
  CreateContactDocument,
} from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { useAnswer } from '../../api/use_answer.ts';
import { Button } from '../../components/button.tsx';
import { Listing } from '../../components/listing.tsx';
import { PageHeader } from '../../components/page_header.tsx';
import type { Column } from '../../components/table.tsx';
import { useFilters } from '../../components/use_filters.ts';
import { contactName } from '../../records/contact_name.ts';
import { createdWithin } from '../../records/created_within.ts';
import { ExportLink } from '../../records/export_link.tsx';
import { FirstStep } from '../../records/first_step.tsx';
import { Labels } from '../../records/labels.tsx';
import { formatDay } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { ContactDialog } from './contact_dialog.tsx';
import { ContactFilters } from './filters.tsx';

type Row = ContactsQuery['list']['data'][number];

const noFilter = { text: '', label: '', from: '', to: '' };

/** Whom the account sells to. */
export function ContactsPage() {
  const { contacts: texts } = words.value;
  const [, navigate] = useLocation();
  const [filters, change] = useFilters({ ...noFilter, sort: 'created_at desc', page: '1' });
  const [isCreating, setCreating] = useState(false);
  const query = {
    q: filters.text,
    label_list_eq: filters.label,
    ...createdWithin(filters),
    s: filters.sort,
  };
  const answer = useAnswer(ContactsDocument, { query, page: Number(filters.page) || 1 });
  const create = (
    <Button kind="primary" icon="add" onClick={() => setCreating(true)}>
      {texts.create}
    </Button>
  );
  return (
    <>
      <PageHeader title={texts.title}>
        <ExportLink records="contacts" query={query} />
        {create}
      </PageHeader>
      <ContactFilters filters={filters} change={change} />
      <Listing
        of={answer}
        caption={texts.title}
        columns={columns()}
        filters={filters}
        change={change}
        none={noFilter}
        empty={<FirstStep title={texts.none} why={texts.whyNone} create={create} />}
      />
      {isCreating && (
        <ContactDialog
          title={texts.create}
          onClose={() => setCreating(false)}
          save={async (input) => {
            const { create_contact } = await ask(CreateContactDocument, { input });
            navigate(`/contacts/${create_contact.id}`);
          }}
        />
      )}
    </>
  );
}

function columns(): readonly Column<Row>[] {
  const { contacts: texts, records } = words.value;
  return [
    {
      key: 'name',
      title: records.name,
      sort: 'full_name',
      cell: (contact) => <Link href={`/contacts/${contact.id}`}>{contactName(contact)}</Link>,
    },
    { key: 'email', title: texts.email, sort: 'email', cell: ({ email }) => email },
    { key: 'phone', title: texts.phone, kind: 'short', cell: ({ phone }) => phone },
    {
      key: 'labels',
      title: records.labels,
      cell: ({ label_list }) => <Labels labels={label_list} max={3} />,
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
