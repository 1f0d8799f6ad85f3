import { UpdateUserDocument, type UserDetailsFragment } from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { isAdmin, readWho, who } from '../../api/who.ts';
import { Checkbox } from '../../components/checkbox.tsx';
import { TextField } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { Select } from '../../components/select.tsx';
import { tell } from '../../components/toast.tsx';
import { useForm } from '../../components/use_form.ts';
import { languageFor, speak, words } from '../../words/words.ts';
import { languageOptions, roleOptions } from './options.ts';

/** What is known of a person; admins change it. */
export function UserForm({
  user,
  action,
  onSaved,
}: {
  readonly user: UserDetailsFragment;
  readonly action: string;
  readonly onSaved: () => Promise<void>;
}) {
  const { users: texts, shell } = words.value;
  const { id, version, full_name, email, phone, job_description, language, role } = user;
  const { webpush_notify_on_event_expired } = user.notifications;
  const initial = {
    full_name,
    email,
    phone: phone ?? '',
    job_description,
    language,
    webpush_notify_on_event_expired,
    role,
  };
  const form = useForm(
    initial,
    async (_, input, expected) => {
      await ask(UpdateUserDocument, { id, input, version: expected });
      if (id === who.value?.me.user.id) {
        await readWho();
        if (input.language) await speak(languageFor([input.language]));
      }
      await onSaved();
      tell(shell.saved);
    },
    { version, reload: onSaved },
  );
  return (
    <Form form={form} action={action} isReadOnly={!isAdmin.value}>
      <TextField {...form.field('full_name')} label={texts.name} autocomplete="off" />
      <TextField
        {...form.field('email')}
        label={texts.email}
        type="email"
        autocomplete="off"
        required
      />
      <TextField {...form.field('phone')} label={texts.phone} type="tel" autocomplete="off" />
      <TextField {...form.field('job_description')} label={texts.job} autocomplete="off" />
      <Select {...form.field('language')} label={texts.language} options={languageOptions} />
      <Checkbox
        {...form.field('webpush_notify_on_event_expired')}
        label={texts.notify}
        disabled={!isAdmin.value}
      />
      <Select
        {...form.field('role')}
        label={texts.role}
        hint={texts.roleHint}
        options={roleOptions()}
      />
    </Form>
  );
}
