import type { People } from '../../api/use_people.ts';
import { TextField } from '../../components/field.tsx';
import { Select } from '../../components/select.tsx';
import type { FormState } from '../../components/use_form.ts';
import { words } from '../../words/words.ts';
import { EventFields } from './event_fields.tsx';

export interface WebhookValues {
  readonly url: string;
  readonly description: string;
  readonly events: readonly string[];
  /** The user who answers for it; empty for nobody. */
  readonly user_id: string;
}

/** As the service takes them. */
export const inputOf = ({ user_id, ...rest }: Partial<WebhookValues>) => ({
  ...rest,
  ...(user_id ? { user_id: Number(user_id) } : {}),
});

/** What there is to say about a webhook. */
export function WebhookFields({
  form,
  people,
}: {
  readonly form: FormState<WebhookValues>;
  readonly people: People;
}) {
  const { webhooks: texts } = words.value;
  const nobody = { value: '', text: texts.nobody };
  // "Nobody" cannot be chosen: it is what is left when a user has gone.
  const options = form.values.user_id === '' ? [nobody, ...people.options] : people.options;
  return (
    <>
      <TextField
        {...form.field('url')}
        label={texts.url}
        hint={texts.urlHint}
        type="url"
        placeholder="https://"
        autocomplete="off"
        required
      />
      <TextField {...form.field('description')} label={texts.description} autocomplete="off" />
      <Select
        {...form.field('user_id')}
        label={texts.person}
        hint={texts.personHint}
        options={options}
      />
      <EventFields {...form.field('events')} />
    </>
  );
}
