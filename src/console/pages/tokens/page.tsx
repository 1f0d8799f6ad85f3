import { useLocation } from 'wouter-preact';
import { TokensDocument } from '../../../generated/console.ts';
import { useAnswer } from '../../api/use_answer.ts';
import { Answer } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { Empty } from '../../components/empty.tsx';
import { PageHeader } from '../../components/page_header.tsx';
import { Paging } from '../../components/paging.tsx';
import { useFilters } from '../../components/use_filters.ts';
import { words } from '../../words/words.ts';
import { TokenTable } from './table.tsx';

/** The keys with which programs come in. */
export function TokensPage() {
  const { tokens: texts } = words.value;
  const [, navigate] = useLocation();
  const [{ page }, change] = useFilters({ page: '1' });
  const answer = useAnswer(TokensDocument, { query: { s: 'id desc' }, page: Number(page) });
  const adding = (
    <Button kind="primary" icon="add" onClick={() => navigate('/tokens/new')}>
      {texts.add}
    </Button>
  );
  return (
    <>
      <PageHeader title={texts.title} about={texts.about}>
        {adding}
      </PageHeader>
      <Answer of={answer}>
        {({ tokens: { data, pagination } }) =>
          data.length === 0 ? (
            <Empty title={texts.none} action={adding}>
              {texts.whatFor}
            </Empty>
          ) : (
            <>
              <TokenTable tokens={data} isLoading={answer.isLoading} onChange={answer.reload} />
              <Paging pagination={pagination} onPage={(to) => change({ page: String(to) })} />
            </>
          )
        }
      </Answer>
    </>
  );
}
