import { useState } from 'preact/hooks';
import type { DealInput } from '../../../generated/console.ts';
import { Button } from '../../components/button.tsx';
import { offerNextStep } from '../../records/activities/next_step.tsx';
import { StatusBadge } from '../../records/status.tsx';
import { words } from '../../words/words.ts';
import { Loss } from './loss.tsx';
import type { Work } from './use_deal.ts';

/** What became of the deal, and how that changes. */
export function Outcome(work: Work) {
  const { deals: texts } = words.value;
  const { deal, act, update } = work;
  const { status, won_at, lost_at, lost_reason } = deal;
  const [isLosing, setLosing] = useState(false);
  const before: DealInput = { status, won_at, lost_at, lost_reason };
  const become = (next: string, said: string) =>
    act(
      () => update({ status: next }),
      said,
      () => update(before),
    );
  const win = async () => {
    if (!(await become('won', texts.isWon))) return;
    const name = deal.name || words.value.records.untitled;
    await offerNextStep({ subject: { kind: 'deal', id: deal.id }, name });
  };
  return (
    <>
      <StatusBadge status={status} />
      {status === 'open' ? (
        <>
          <Button kind="primary" icon="done" onClick={win}>
            {texts.win}
          </Button>
          <Button icon="close" onClick={() => setLosing(true)}>
            {texts.lose}
          </Button>
        </>
      ) : (
        <Button onClick={() => become('open', texts.isOpen)}>{texts.reopen}</Button>
      )}
      {isLosing && <Loss {...work} undo={() => update(before)} onClose={() => setLosing(false)} />}
    </>
  );
}
