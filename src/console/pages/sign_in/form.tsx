import { signIn } from '../../api/session.ts';
import { TextField } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { useForm } from '../../components/use_form.ts';
import { words } from '../../words/words.ts';

/** Asks who somebody is. */
export function SignInForm({ onDone }: { readonly onDone?: () => void }) {
  const { signIn: texts } = words.value;
  const form = useForm({ email: '', password: '' }, async (values) => {
    await signIn(values);
    onDone?.();
  });
  return (
    <Form
      form={form}
      action={texts.action}
      refusals={{ UNAUTHENTICATED: texts.wrong, TOO_MANY_REQUESTS: texts.tooMany }}
    >
      <TextField
        {...form.field('email')}
        label={texts.email}
        type="email"
        autocomplete="username"
        autoFocus
        required
      />
      <TextField
        {...form.field('password')}
        label={texts.password}
        type="password"
        autocomplete="current-password"
        required
      />
    </Form>
  );
}
