import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { CreateWebhookDocument } from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { usePeople } from '../../api/use_people.ts';
import { who } from '../../api/who.ts';
import { Form } from '../../components/form.tsx';
import { PageHeader } from '../../components/page_header.tsx';
import { useForm } from '../../components/use_form.ts';
import { words } from '../../words/words.ts';
import { inputOf, WebhookFields, type WebhookValues } from './form_fields.tsx';
import { SecretShown } from './secret.tsx';

/** Makes a webhook, and shows its secret this once. */
export function NewWebhookPage() {
  const { webhooks: texts } = words.value;
  const people = usePeople();
  const [made, setMade] = useState<{ readonly id: number; readonly secret: string }>();
  const initial: WebhookValues = {
    url: '',
    description: '',
    events: [],
    user_id: String(who.value?.me.user.id ?? ''),
  };
  const form = useForm(initial, async (values) => {
    const { create_webhook } = await ask(CreateWebhookDocument, { input: inputOf(values) });
    setMade({ id: create_webhook.webhook.id, secret: create_webhook.secret });
  });
  if (made) {
    return (
      <>
        <PageHeader title={texts.made} />
        <section class="card form">
          <SecretShown secret={made.secret} />
          <p>
            <Link href={`/webhooks/${made.id}`}>{texts.toIt}</Link>
          </p>
        </section>
      </>
    );
  }
  return (
    <>
      <PageHeader title={texts.add} about={texts.aboutNew} />
      <section class="card">
        <Form form={form} action={texts.make} more={<Link href="/webhooks">{texts.back}</Link>}>
          <WebhookFields form={form} people={people} />
        </Form>
      </section>
    </>
  );
}
