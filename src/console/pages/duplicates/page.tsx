import { DuplicatesDocument } from '../../../generated/console.ts';
import { useAnswer } from '../../api/use_answer.ts';
import { Answer } from '../../components/answer.tsx';
import { Empty } from '../../components/empty.tsx';
import { PageHeader } from '../../components/page_header.tsx';
import { Paging } from '../../components/paging.tsx';
import { useFilters } from '../../components/use_filters.ts';
import { words } from '../../words/words.ts';
import { Group } from './group.tsx';

/** Contacts that are probably one person, beside each other. */
export function DuplicatesPage() {
  const { duplicates: texts } = words.value;
  const [filters, change] = useFilters({ page: '1' });
  const answer = useAnswer(DuplicatesDocument, { page: Number(filters.page) || 1 });
  return (
    <>
      <PageHeader title={texts.title} about={texts.about} />
      <Answer of={answer}>
        {({ duplicates: { data, pagination } }) =>
          data.length === 0 ? (
            <Empty title={texts.none}>{texts.whyNone}</Empty>
          ) : (
            <>
              {data.map((group) => (
                <Group
                  key={group.contacts.map(({ id }) => id).join(' ')}
                  group={group}
                  reload={answer.reload}
                />
              ))}
              <Paging pagination={pagination} onPage={(page) => change({ page: String(page) })} />
            </>
          )
        }
      </Answer>
    </>
  );
}
