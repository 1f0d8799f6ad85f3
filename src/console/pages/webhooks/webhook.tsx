import { useState } from 'preact/hooks';
import {
  DeleteWebhookDocument,
  RotateWebhookSecretDocument,
  UpdateWebhookDocument,
  WebhookDocument,
  type WebhookRowFragment,
} from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { useAnswer } from '../../api/use_answer.ts';
import { Answer } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { confirm } from '../../components/confirm.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { PageHeader } from '../../components/page_header.tsx';
import { attempt, tell } from '../../components/toast.tsx';
import type { PageProps } from '../../page.ts';
import { useRemoval } from '../../records/use_removal.ts';
import { words } from '../../words/words.ts';
import { Deliveries } from './deliveries.tsx';
import { EditWebhook } from './edit.tsx';
import { Facts } from './facts.tsx';
import { SecretShown } from './secret.tsx';

/** One webhook: what it is sent, and what became of that. */
export function WebhookPage({ params }: PageProps) {
  const answer = useAnswer(WebhookDocument, { id: Number(params.id) });
  return (
    <Answer of={answer}>
      {({ webhook }) => <Details key={webhook.id} webhook={webhook} onChange={answer.reload} />}
    </Answer>
  );
}

function Details({
  webhook,
  onChange,
}: {
  readonly webhook: WebhookRowFragment;
  readonly onChange: () => Promise<void>;
}) {
  const { webhooks: texts, shell } = words.value;
  const { id, url, enabled } = webhook;
  const [secret, setSecret] = useState<string>();
  const [isEdited, edit] = useState(false);
  const leave = useRemoval('/webhooks');
  const turn = async (isOn: boolean) => {
    await ask(UpdateWebhookDocument, { id, input: { enabled: isOn } });
    await onChange();
  };
  const toggle = async () => {
    const isDone = await attempt(() => turn(!enabled));
    if (isDone) tell(enabled ? texts.wasTurnedOff : texts.wasTurnedOn, () => turn(enabled));
  };
  const rotate = async () => {
    const question = { title: texts.rotate, text: texts.rotateWhat, action: texts.rotate };
    if (!(await confirm(question))) return;
    await attempt(async () => {
      const { rotate_webhook_secret } = await ask(RotateWebhookSecretDocument, { id });
      setSecret(rotate_webhook_secret.secret);
    });
  };
  const remove = () =>
    leave({ name: url, title: texts.remove, text: texts.removeWhat }, () =>
      ask(DeleteWebhookDocument, { id }),
    );
  return (
    <>
      <PageHeader title={url} about={webhook.description}>
        <Button icon="edit" onClick={() => edit(true)}>
          {texts.edit}
        </Button>
        <Button onClick={toggle}>{enabled ? texts.turnOff : texts.turnOn}</Button>
        <Button onClick={rotate}>{texts.rotate}</Button>
        <Button icon="remove" onClick={remove}>
          {texts.remove}
        </Button>
      </PageHeader>
      <Facts webhook={webhook} onHandOver={() => edit(true)} />
      <Deliveries webhook={webhook} onChange={onChange} />
      {isEdited && <EditWebhook webhook={webhook} onSaved={onChange} onClose={() => edit(false)} />}
      {secret !== undefined && (
        <Dialog title={texts.rotated} onClose={() => setSecret(undefined)}>
          <SecretShown secret={secret} />
          <div class="form-end">
            <Button kind="primary" onClick={() => setSecret(undefined)}>
              {shell.close}
            </Button>
          </div>
        </Dialog>
      )}
    </>
  );
}
