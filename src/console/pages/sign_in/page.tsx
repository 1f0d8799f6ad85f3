import { Redirect, useSearch } from 'wouter-preact';
import { session } from '../../api/session.ts';
import { nextOf } from '../../return_to.ts';
import { words } from '../../words/words.ts';
import { SignInForm } from './form.tsx';
import { Frame } from './frame.tsx';

export function SignInPage() {
  const { signIn } = words.value;
  const search = useSearch();
  if (session.value) return <Redirect to={nextOf(search)} replace />;
  return (
    <Frame title={signIn.title}>
      <SignInForm />
      <p class="aside">{signIn.help}</p>
    </Frame>
  );
}
