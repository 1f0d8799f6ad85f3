import { Link } from 'wouter-preact';
import { AuditEntriesDocument } from '../../../generated/console.ts';
import { useAnswer } from '../../api/use_answer.ts';
import { usePeople } from '../../api/use_people.ts';
import { Answer } from '../../components/answer.tsx';
import { Empty } from '../../components/empty.tsx';
import { PageHeader } from '../../components/page_header.tsx';
import { Paging } from '../../components/paging.tsx';
import { useFilters } from '../../components/use_filters.ts';
import { useRecordNames } from '../../records/record_names.ts';
import { startOfDay } from '../../words/days.ts';
import { timeZone } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { Entry } from './entry.tsx';
import { AuditFilters, none } from './filters.tsx';

/** Who changed what, and when. */
export function AuditPage() {
  const { audit: texts, undo } = words.value;
  const [filters, change] = useFilters({ ...none, page: '1' });
  const people = usePeople();
  const answer = useAnswer(AuditEntriesDocument, {
    query: {
      user_id_eq: filters.person,
      action_end: filters.action,
      record_type_eq: filters.type,
      record_id_eq: filters.record,
      request_id_eq: filters.request,
      created_at_gteq: startOfDay(filters.from, timeZone.value),
      created_at_lt: startOfDay(filters.to, timeZone.value, 1),
    },
    page: Number(filters.page),
  });
  const names = useRecordNames(answer.data?.audit_entries.data ?? []);
  return (
    <>
      <PageHeader title={texts.title} about={texts.about}>
        <Link href="/audit/undo">{undo.title}</Link>
      </PageHeader>
      <AuditFilters filters={filters} change={change} people={people.options} />
      <Answer of={answer}>
        {({ audit_entries: { data, pagination } }) =>
          data.length === 0 ? (
            <Empty title={texts.none}>{texts.whyNone}</Empty>
          ) : (
            <>
              <ul class="entries" aria-busy={answer.isLoading}>
                {data.map((entry) => (
                  <Entry key={entry.id} entry={entry} people={people} names={names} />
                ))}
              </ul>
              <Paging pagination={pagination} onPage={(page) => change({ page: String(page) })} />
            </>
          )
        }
      </Answer>
    </>
  );
}
