import { ChangePasswordDocument } from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { Checkbox } from '../../components/checkbox.tsx';
import { TextField } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { tell } from '../../components/toast.tsx';
import { useForm } from '../../components/use_form.ts';
import { words } from '../../words/words.ts';

const empty = {
  current_password: '',
  password: '',
  password_confirmation: '',
  revoke_tokens: false,
};

/** Changes one's own password, which ends one's other sessions. */
export function PasswordForm({ onChanged }: { readonly onChanged: () => void }) {
  const { profile: texts, welcome } = words.value;
  const form = useForm(empty, async (input) => {
    await ask(ChangePasswordDocument, { input });
    tell(texts.changed);
    onChanged();
  });
  return (
    <Form form={form} action={texts.change}>
      <div class="one-column">
        <TextField
          {...form.field('current_password')}
          label={texts.current}
          type="password"
          autocomplete="current-password"
          required
        />
        <TextField
          {...form.field('password')}
          label={welcome.password}
          hint={welcome.hint}
          type="password"
          autocomplete="new-password"
          required
        />
        <TextField
          {...form.field('password_confirmation')}
          label={welcome.again}
          type="password"
          autocomplete="new-password"
          required
        />
      </div>
      <Checkbox {...form.field('revoke_tokens')} label={texts.revoke} hint={texts.revokeHint} />
    </Form>
  );
}
