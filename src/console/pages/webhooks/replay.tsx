import { ReplayWebhookDocument } from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { TextField } from '../../components/field.tsx';
import { FormDialog } from '../../components/form_dialog.tsx';
import { tell } from '../../components/toast.tsx';
import { useForm } from '../../components/use_form.ts';
import { clockAt, momentOf } from '../../words/days.ts';
import { formatNumber, timeZone } from '../../words/format.ts';
import { words } from '../../words/words.ts';

const hourMs = 3_600_000;

/** Has the changes of a period sent again, say to a receiver that lost what it was sent. */
export function ReplayDialog({
  id,
  onReplayed,
  onClose,
}: {
  readonly id: number;
  readonly onReplayed: () => Promise<void>;
  readonly onClose: () => void;
}) {
  const { webhooks: texts } = words.value;
  const zone = timeZone.value;
  const initial = { from: clockAt(Date.now() - hourMs, zone), to: '' };
  const form = useForm(initial, async ({ from, to }) => {
    const moment = (clock: string) => (clock === '' ? null : momentOf(clock, zone));
    const input = { from: moment(from), to: moment(to) };
    const { replay_webhook } = await ask(ReplayWebhookDocument, { id, input });
    onClose();
    tell(texts.replayed(formatNumber(replay_webhook.deliveries)));
    await onReplayed();
  });
  return (
    <FormDialog title={texts.replay} form={form} action={texts.replayAction} onClose={onClose}>
      <p>{texts.replayWhat}</p>
      <TextField {...form.field('from')} type="datetime-local" label={texts.from} required />
      <TextField {...form.field('to')} type="datetime-local" label={texts.to} hint={texts.toHint} />
    </FormDialog>
  );
}
