import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import {
  ContactsDocument,
  type ContactsQuery,
  CreateContactDocument,
  UpdateContactDocument,
} from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { useAnswer } from '../../api/use_answer.ts';
import { Button } from '../../components/button.tsx';
import { InPlace } from '../../components/in_place.tsx';
import { Listing } from '../../components/listing.tsx';
import { LiveSign } from '../../components/live_sign.tsx';
import { NarrowMenu } from '../../components/narrow_menu.tsx';
import { PageHeader } from '../../components/page_header.tsx';
import type { Column } from '../../components/table.tsx';
import { useFilters } from '../../components/use_filters.ts';
import { useSelection } from '../../components/use_selection.ts';
import { DotLink } from '../../records/activities/dot.tsx';
import { ContactsBar } from '../../records/bulk/contacts_bar.tsx';
import { useBulkReload } from '../../records/bulk/use_bulk_reload.ts';
import { useChoices } from '../../records/choices.ts';
import { columnsOf } from '../../records/columns/columns.ts';
import { ColumnsButton } from '../../records/columns/columns_button.tsx';
import { contactName } from '../../records/contact_name.ts';
import { createdWithin } from '../../records/created_within.ts';
import { attributeQuery } from '../../records/deal_query.ts';
import { ExportLink, SheetButton } from '../../records/export_link.tsx';
import { FirstStep } from '../../records/first_step.tsx';
import { Labels } from '../../records/labels.tsx';
import { useFollow } from '../../records/use_follow.ts';
import { Views } from '../../records/views/views.tsx';
import { formatDay } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { ContactDialog } from './contact_dialog.tsx';
import { ContactFilters, noContactFilter } from './filters.tsx';

type Row = ContactsQuery['list']['data'][number];

const defaults = { ...noContactFilter, sort: 'created_at desc', columns: '' };

/** Whom the account sells to. */
export function ContactsPage() {
  const { contacts: texts, duplicates } = words.value;
  const [, navigate] = useLocation();
  const [filters, change] = useFilters({ ...defaults, page: '1' }, true);
  const [isCreating, setCreating] = useState(false);
  const conditions = {
    q: filters.text,
    label_list_eq: filters.label,
    ...attributeQuery(filters),
    ...createdWithin(filters),
  };
  const query = { ...conditions, s: filters.sort };
  const selection = useSelection(JSON.stringify(conditions));
  const { data: choices } = useChoices();
  const all = columns(() => answer.reload());
  const { shown, chosen, extras } = columnsOf(all, filters.columns);
  const answer = useAnswer(ContactsDocument, { query, page: Number(filters.page) || 1, extras });
  useBulkReload(answer.reload);
  const isLost = useFollow('CONTACTS', conditions, answer.reload);
  const create = (
    <Button kind="primary" icon="add" onClick={() => setCreating(true)}>
      {texts.create}
    </Button>
  );
  return (
    <>
      <PageHeader title={texts.title}>
        <NarrowMenu>
          <ColumnsButton list="contacts" all={all} filters={filters} change={change} />
          <SheetButton records="contacts" query={query} columns={chosen} />
          <Link href="/contacts/duplicates">{duplicates.title}</Link>
          <ExportLink records="contacts" query={query} />
        </NarrowMenu>
        {create}
      </PageHeader>
      <ContactFilters choices={choices} filters={filters} change={change} />
      <Views list="contacts" filters={filters} defaults={defaults} query={query} />
      <LiveSign isLost={isLost} />
      <Listing
        of={answer}
        caption={texts.title}
        columns={shown}
        filters={filters}
        change={change}
        none={noContactFilter}
        bulk={{
          selection,
          nameOf: contactName,
          bar: (rows, count) => (
            <ContactsBar
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

function columns(reload: () => Promise<void>): readonly Column<Row>[] {
  const { contacts: texts, fields, records } = words.value;
  const edit = (contact: Row, name: 'email' | 'phone', label: string) => ({
    name,
    label: `${label}, ${contactName(contact)}`,
    value: contact[name],
    version: contact.version,
    reload,
    save: async (value: string, version?: string) => {
      await ask(UpdateContactDocument, { id: contact.id, input: { [name]: value }, version });
      await reload();
    },
  });
  return [
    {
      key: 'name',
      title: records.name,
      sort: 'full_name',
      cell: (contact) => (
        <DotLink next={contact.next} href={`/contacts/${contact.id}`}>
          {contactName(contact)}
        </DotLink>
      ),
    },
    {
      key: 'email',
      title: texts.email,
      sort: 'email',
      cell: (contact) => (
        <InPlace {...edit(contact, 'email', texts.email)} type="email">
          {contact.email}
        </InPlace>
      ),
    },
    {
      key: 'phone',
      title: texts.phone,
      kind: 'short',
      cell: (contact) => (
        <InPlace {...edit(contact, 'phone', texts.phone)} type="tel">
          {contact.phone}
        </InPlace>
      ),
    },
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
    {
      key: 'updated',
      kind: 'short',
      title: fields.updated,
      sort: 'updated_at',
      isExtra: true,
      cell: ({ updated_at }) => updated_at && formatDay(updated_at),
    },
  ];
}
