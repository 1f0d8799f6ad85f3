import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { signIn } from '../../api/session.ts';
import { TextField } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { useForm } from '../../components/use_form.ts';
import { words } from '../../words/words.ts';
import { Frame } from './frame.tsx';

/** Where a link leads that an admin or the command line made: a person sets their password. */
export function WelcomePage() {
  const { welcome, signIn: texts } = words.value;
  const [, navigate] = useLocation();
  const [code] = useState(takeCode);
  const form = useForm({ password: '', password_confirmation: '' }, async (values) => {
    await signIn({ code, ...values });
    navigate('/', { replace: true });
  });
  return (
    <Frame title={welcome.title}>
      <Form
        form={form}
        action={welcome.action}
        refusals={{ UNAUTHENTICATED: welcome.ended, NOT_FOUND: welcome.ended }}
      >
        <TextField
          {...form.field('password')}
          label={welcome.password}
          hint={welcome.hint}
          type="password"
          autocomplete="new-password"
          autoFocus
          required
        />
        <TextField
          {...form.field('password_confirmation')}
          label={welcome.again}
          type="password"
          autocomplete="new-password"
          required
        />
      </Form>
      <p class="aside">
        <a href="/console/sign-in">{texts.title}</a>
      </p>
    </Frame>
  );
}

/** The code of the address, which is not left there for whoever looks over a shoulder. */
function takeCode(): string {
  const code = location.hash.slice(1);
  history.replaceState(history.state, '', location.pathname);
  return code;
}
