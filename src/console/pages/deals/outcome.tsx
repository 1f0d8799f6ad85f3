import { useState } from 'preact/hooks';
import type { DealInput } from '../../../generated/console.ts';
import { Button } from '../../components/button.tsx';
import { TextArea } from '../../components/field.tsx';
import { FormDialog } from '../../components/form_dialog.tsx';
import { tell } from '../../components/toast.tsx';
import { useForm } from '../../components/use_form.ts';
import { offerNextStep } from '../../records/activities/next_step.tsx';
import { StatusBadge } from '../../records/status.tsx';
import { words } from '../../words/words.ts';
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
      {isLosing && (
        <Loss update={update} undo={() => update(before)} onClose={() => setLosing(false)} />
      )}
    </>
  );
}

/** Asks why a deal was lost. */
function Loss({
  update,
  undo,
  onClose,
}: Pick<Work, 'update'> & {
  readonly undo: () => Promise<void>;
  readonly onClose: () => void;
}) {
  const { deals: texts } = words.value;
  const form = useForm({ lost_reason: '' }, async ({ lost_reason }) => {
    await update({ status: 'lost', lost_reason });
    tell(texts.isLost, undo);
    onClose();
  });
  return (
    <FormDialog title={texts.lose} form={form} action={texts.lose} onClose={onClose}>
      <TextArea {...form.field('lost_reason')} label={texts.lostReason} rows={3} autoFocus />
    </FormDialog>
  );
}
