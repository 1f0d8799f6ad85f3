import { DeletedDocument, type DeletedQuery } from '../../../generated/console.ts';
import { useAnswer } from '../../api/use_answer.ts';
import { type People, usePeople } from '../../api/use_people.ts';
import { Answer } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { Empty } from '../../components/empty.tsx';
import { PageHeader } from '../../components/page_header.tsx';
import { Paging } from '../../components/paging.tsx';
import { SearchField } from '../../components/search_field.tsx';
import { Select } from '../../components/select.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { attempt, tell } from '../../components/toast.tsx';
import { useFilters } from '../../components/use_filters.ts';
import { restorable, restore } from '../../records/restore.ts';
import { formatMoment } from '../../words/format.ts';
import { words } from '../../words/words.ts';

type Row = DeletedQuery['deleted']['data'][number];

/** What was deleted, and what brings it back. */
export function DeletedPage() {
  const { deleted: texts, records, audit } = words.value;
  const [filters, change] = useFilters({ type: 'contact', text: '', page: '1' });
  const people = usePeople();
  const type = restorable.find((one) => one === filters.type) ?? 'contact';
  const answer = useAnswer(DeletedDocument, {
    type,
    query: { name_cont: filters.text },
    page: Number(filters.page) || 1,
  });
  const bringBack = async (row: Row) => {
    if (!(await attempt(() => restore(type, row.record_id)))) return;
    tell(texts.restored(nameOf(row)));
    await answer.reload();
  };
  return (
    <>
      <PageHeader title={texts.title} about={texts.about} />
      <search class="filters">
        <Select
          name="type"
          label={texts.type}
          value={type}
          onChange={(chosen) => change({ type: chosen })}
          options={restorable.map((one) => ({ value: one, text: audit.types[one] }))}
          error={undefined}
        />
        <SearchField label={records.search} filters={filters} change={change} />
      </search>
      <Answer of={answer}>
        {({ deleted: { data, pagination } }) =>
          data.length === 0 ? (
            <Empty title={texts.none}>{texts.whyNone}</Empty>
          ) : (
            <>
              <Table
                caption={texts.title}
                columns={columns(people, bringBack)}
                rows={data}
                keyOf={({ record_id }) => record_id}
                isLoading={answer.isLoading}
              />
              <Paging pagination={pagination} onPage={(page) => change({ page: String(page) })} />
            </>
          )
        }
      </Answer>
    </>
  );
}

const nameOf = ({ name, record_id }: Row): string => name ?? words.value.deleted.unnamed(record_id);

function columns(people: People, bringBack: (row: Row) => void): readonly Column<Row>[] {
  const { deleted: texts, records, audit } = words.value;
  return [
    { key: 'name', title: texts.record, cell: nameOf },
    {
      key: 'when',
      title: texts.when,
      kind: 'short',
      cell: ({ deleted_at }) => <time dateTime={deleted_at}>{formatMoment(deleted_at)}</time>,
    },
    {
      key: 'who',
      title: texts.by,
      cell: ({ user_id }) => (user_id === null ? audit.commandLine : people.named(user_id)),
    },
    {
      key: 'actions',
      title: records.actions,
      kind: 'actions',
      cell: (row) =>
        row.restorable ? (
          <Button aria-label={`${texts.restore}: ${nameOf(row)}`} onClick={() => bringBack(row)}>
            {texts.restore}
          </Button>
        ) : (
          <span class="soft">{texts.erased}</span>
        ),
    },
  ];
}
