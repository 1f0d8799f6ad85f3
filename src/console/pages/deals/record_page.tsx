import { useState } from 'preact/hooks';
import { DeleteDealDocument } from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { Answer } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { PageHeader } from '../../components/page_header.tsx';
import type { PageProps } from '../../page.ts';
import { noteActivityChange } from '../../records/activities/plan.ts';
import { restore } from '../../records/restore.ts';
import { NoteButton, Timeline } from '../../records/timeline/timeline.tsx';
import { useFollow } from '../../records/use_follow.ts';
import { useRemoval } from '../../records/use_removal.ts';
import { formatNumber } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { Assignees } from './assignees.tsx';
import { DealDetails } from './deal_details.tsx';
import { EditDeal } from './edit_deal.tsx';
import { Outcome } from './outcome.tsx';
import { DealProducts } from './products.tsx';
import { Stages } from './stages.tsx';
import { useDeal, type Work, workOn } from './use_deal.ts';

/** Everything about one deal. */
export function DealPage({ params }: PageProps) {
  const id = Number(params.id) || 0;
  const answer = useDeal(id);
  useFollow('DEALS', { id_eq: id }, answer.reload);
  useFollow('EVENTS', { deal_id_eq: id }, noteActivityChange);
  return (
    <Answer of={answer}>
      {({ deal }) => <DealSheet key={deal.id} {...workOn(deal, answer.reload)} />}
    </Answer>
  );
}

function DealSheet(work: Work) {
  const { deals: texts, records } = words.value;
  const [isEdited, setEdited] = useState(false);
  const { deal } = work;
  const { id, deal_products } = deal;
  const name = deal.name || records.untitled;
  const remove = useRemoval('/deals');
  const askToRemove = () =>
    remove(
      {
        name,
        title: texts.remove(name),
        text: texts.whyRemove(formatNumber(deal_products.length)),
      },
      () => ask(DeleteDealDocument, { id }),
      () => restore('deal', id),
    );
  return (
    <>
      <PageHeader title={name}>
        <Outcome {...work} />
        <NoteButton />
        <Button icon="edit" aria-label={records.editOf(name)} onClick={() => setEdited(true)}>
          {records.edit}
        </Button>
        <Button icon="remove" aria-label={records.removeOf(name)} onClick={askToRemove}>
          {records.remove}
        </Button>
      </PageHeader>
      <Stages {...work} />
      <div class="record">
        <div>
          <DealDetails {...work} />
          <Assignees {...work} />
        </div>
        <div>
          <DealProducts {...work} />
          <Timeline subject={{ kind: 'deal', id }} version={JSON.stringify(deal)} />
        </div>
      </div>
      {isEdited && <EditDeal {...work} onClose={() => setEdited(false)} />}
    </>
  );
}
