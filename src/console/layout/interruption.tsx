import { Dialog } from '../components/dialog.tsx';
import { SignInForm } from '../pages/sign_in/form.tsx';
import { words } from '../words/words.ts';

/** Lets a person in again whose session ended, over the page, which keeps what they typed. */
export const Interruption = () => (
  <Dialog title={words.value.signIn.again}>
    <p>{words.value.signIn.whyAgain}</p>
    <SignInForm />
  </Dialog>
);
