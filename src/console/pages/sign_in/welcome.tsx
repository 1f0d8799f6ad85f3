import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { session, signIn } from '../../api/session.ts';
import { readWho, who } from '../../api/who.ts';
import { TextField } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { tell } from '../../components/toast.tsx';
import { useForm } from '../../components/use_form.ts';
import { words } from '../../words/words.ts';
import { Frame } from './frame.tsx';

/** Where a link leads that an admin or the command line made: a person sets their password. */
export function WelcomePage() {
  const { welcome } = words.value;
  const [, navigate] = useLocation();
  const [code, setCode] = useState(takeCode);
  const form = useForm({ password: '', password_confirmation: '' }, async (values) => {
    await signIn({ code, ...values });
    navigate('/', { replace: true });
    await readWho();
    if (who.value) tell(welcome.isIn(who.value.me.user.email));
  });
  // Another link that is opened here changes nothing but the code of the address.
  useEffect(() => {
    const again = () => setCode(takeCode());
    addEventListener('hashchange', again);
    return () => removeEventListener('hashchange', again);
  }, []);
  // A session that is about to be replaced is mentioned; where it cannot be read, the link works
  // all the same.
  useEffect(() => void (session.value && readWho().catch(() => {})), []);
  const present = session.value && who.value?.me.user.email;
  if (code === '') {
    return (
      <Frame title={welcome.title}>
        <p class="notice warn">{welcome.incomplete}</p>
        <ToSignIn />
      </Frame>
    );
  }
  return (
    <Frame title={welcome.title}>
      {present && <p class="notice">{welcome.switches(present)}</p>}
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
      <ToSignIn />
    </Frame>
  );
}

const ToSignIn = () => (
  <p class="aside">
    <a href="/console/sign-in">{words.value.signIn.title}</a>
  </p>
);

/** The code of the address, which is not left there for whoever looks over a shoulder. */
function takeCode(): string {
  const code = location.hash.slice(1);
  history.replaceState(history.state, '', location.pathname);
  return code;
}
