import { UpdateWebhookDocument, type WebhookRowFragment } from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { usePeople } from '../../api/use_people.ts';
import { FormDialog } from '../../components/form_dialog.tsx';
import { tell } from '../../components/toast.tsx';
import { useForm } from '../../components/use_form.ts';
import { words } from '../../words/words.ts';
import { inputOf, WebhookFields, type WebhookValues } from './form_fields.tsx';

/** Changes a webhook, or hands it over. */
export function EditWebhook({
  webhook: { id, version, url, description, events, user_id },
  onSaved,
  onClose,
}: {
  readonly webhook: WebhookRowFragment;
  readonly onSaved: () => Promise<void>;
  readonly onClose: () => void;
}) {
  const { webhooks: texts, shell } = words.value;
  const people = usePeople();
  const initial: WebhookValues = { url, description, events, user_id: String(user_id ?? '') };
  const form = useForm(
    initial,
    async (_, changed, expected) => {
      await ask(UpdateWebhookDocument, { id, input: inputOf(changed), version: expected });
      onClose();
      tell(shell.saved);
      await onSaved();
    },
    { version, reload: onSaved },
  );
  return (
    <FormDialog title={texts.edit} form={form} action={shell.save} onClose={onClose}>
      <WebhookFields form={form} people={people} />
    </FormDialog>
  );
}
