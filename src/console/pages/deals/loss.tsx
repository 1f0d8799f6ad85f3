import { DropActivitiesDocument, PlannedOfDealDocument } from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { useLoad } from '../../api/use_load.ts';
import { Checkbox } from '../../components/checkbox.tsx';
import { TextArea } from '../../components/field.tsx';
import { FormDialog } from '../../components/form_dialog.tsx';
import { tell } from '../../components/toast.tsx';
import { useForm } from '../../components/use_form.ts';
import { isPlanned, noteActivityChange } from '../../records/activities/plan.ts';
import { restore } from '../../records/restore.ts';
import { words } from '../../words/words.ts';
import type { Work } from './use_deal.ts';

/** Asks why a deal was lost, and whether what is planned with it is still to be done. */
export function Loss({
  deal: { id },
  update,
  undo,
  onClose,
}: Work & { readonly undo: () => Promise<void>; readonly onClose: () => void }) {
  const { deals: texts } = words.value;
  const query = { ...isPlanned, deal_id_eq: id };
  const { data } = useLoad(() => ask(PlannedOfDealDocument, { query }), String(id));
  const planned = data?.events.data ?? [];
  const form = useForm({ lost_reason: '', drop: false }, async ({ lost_reason, drop }) => {
    await update({ status: 'lost', lost_reason });
    const dropped = drop ? await dropActivities(planned) : [];
    tell(texts.isLost, async () => {
      await undo();
      for (const activity of dropped) await restore('event', activity);
      noteActivityChange();
    });
    onClose();
  });
  return (
    <FormDialog title={texts.lose} form={form} action={texts.lose} onClose={onClose}>
      <TextArea {...form.field('lost_reason')} label={texts.lostReason} rows={3} autoFocus />
      {planned.length > 0 && (
        <Checkbox {...form.field('drop')} label={texts.dropPlanned(planned.length)} />
      )}
    </FormDialog>
  );
}

/** @returns the ids of those that it deleted, rather than somebody else before */
async function dropActivities(
  planned: readonly { readonly id: number }[],
): Promise<readonly number[]> {
  const records = planned.map(({ id }) => ({ id }));
  const { batch } = await ask(DropActivitiesDocument, { records });
  noteActivityChange();
  return batch.results.flatMap(({ id, status }) => (id !== null && status < 400 ? [id] : []));
}
